package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.panamaverbs.nfs.xdr.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time after a restart in which clients take back what they had (RFC 8881, 8.4.2), and the record of clients that have something. A client
 * is recorded before its first open, and leaves the record before its opens end, so a client of the record never lost anything to another one
 * (8.4.3). Without a place for the record nothing can be taken back.
 */
// Tested by RestartTest, GraceTest.
public final class Grace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Grace.class);

    /** From one reclaim to the next: a client that is at it when the lease ends is waited for, at most for a second lease. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final LongSupplier clock;
    /** In seconds. */
    private final long lease;
    /** The longest lease that a client may still go by, in seconds (RFC 8881, 8.4.2.1). */
    private final long longest;
    private final String server;
    private final long latestEnd;
    private long end;
    /** Those of the run before that have not said yet that they reclaim nothing more. */
    private final Set<String> waiting = new HashSet<>();
    /** Those of this run that may have something. */
    private final Map<String, Client> holders = new HashMap<>();
    private StableRecord record;
    private volatile boolean over;

    /**
     * Begins a run of the server.
     *
     * @param folder has the record; {@code null} if there is none
     * @param lease  of this run
     * @param clock  in nanoseconds, as {@link System#nanoTime}
     */
    public Grace(Path folder, Duration lease, LongSupplier clock) {
        this.clock = clock;
        this.lease = lease.toSeconds();
        record = open(folder);
        StableRecord.Content before = record == null ? new StableRecord.Content(StableRecord.randomServer(), 0, Set.of())
                : record.content();
        server = before.server();
        waiting.addAll(before.clients());
        over = waiting.isEmpty();
        longest = Math.max(before.lease(), this.lease);
        end = clock.getAsLong() + Duration.ofSeconds(longest).toNanos();
        latestEnd = end + Duration.ofSeconds(longest).toNanos();
        write();
    }

    private static StableRecord open(Path folder) {
        if (folder == null) {
            return null;
        }
        try {
            return new StableRecord(folder);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("{} cannot have the record of NFS clients: {}. After a restart of the server clients lose their open files.", folder,
                    e.toString());
            return null;
        }
    }

    /** The server's name, which stays as long as there is something to take back (RFC 8881, 2.10.4). */
    public String server() {
        return server;
    }

    /** Refuses an open or a lock that is no reclaim, if somebody may still reclaim what it conflicts with. */
    public void checkNew(Client client) throws Refused {
        if (!client.isComplete()) {
            throw new Refused(Status.GRACE);
        }
        checkOver();
        if (!client.isRecorded()) {
            hold(client);
        }
    }

    /** Refuses an access that a denial could forbid that is reclaimed later, and the end of a name whose file could be. */
    public void checkOver() throws Refused {
        if (!isOver()) {
            throw new Refused(Status.GRACE);
        }
    }

    /** Refuses a reclaim of a client that had nothing before the restart, or could have lost it. */
    public synchronized void checkReclaim(Client client) throws Refused {
        if (client.isComplete() || isOver() || !waiting.contains(key(client))) {
            throw new Refused(Status.NO_GRACE);
        }
        long wanted = clock.getAsLong() + PATIENCE.toNanos();
        if (wanted - end > 0) {
            end = wanted - latestEnd > 0 ? latestEnd : wanted;
        }
    }

    /** A client reclaims nothing more (RFC 8881, 18.51). */
    public void complete(Client client) throws Refused {
        client.complete();
        synchronized (this) {
            if (!over && waiting.remove(key(client))) {
                holders.put(key(client), client);
                client.recorded();
            }
        }
    }

    private synchronized void hold(Client client) throws Refused {
        if (client.isGone()) {
            throw new Refused(Status.EXPIRED);
        }
        if (!client.isRecorded()) {
            holders.put(key(client), client);
            write();
            client.recorded();
        }
    }

    /** A client is gone; its opens and locks end after this. */
    public synchronized void leave(Client client) {
        if (client.isRecorded() && holders.remove(key(client), client)) {
            write();
        }
    }

    /** Those that did not come back have lost what they had, which the record says before anybody else gets something. */
    private boolean isOver() {
        if (over) {
            return true;
        }
        synchronized (this) {
            if (!over && (waiting.isEmpty() || clock.getAsLong() - end >= 0)) {
                waiting.clear();
                write();
                over = true;
            }
            return over;
        }
    }

    private void write() {
        if (record == null) {
            return;
        }
        Set<String> clients = new TreeSet<>(waiting);
        clients.addAll(holders.keySet());
        try {
            record.write(server, waiting.isEmpty() ? lease : longest, clients);
        } catch (IOException e) {
            LOG.warn("the record of NFS clients cannot be written: {}. After a restart of the server clients lose their open files.",
                    e.toString());
            giveUp();
        }
    }

    private void giveUp() {
        try (StableRecord old = record) {
            old.remove();
        } catch (IOException e) {
            LOG.warn("remove the old record of NFS clients before the server starts again: {}", e.toString());
        }
        record = null;
    }

    /** The same owner and user as before the restart; of a fixed length. */
    private static String key(Client client) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(ByteBuffer.allocate(2 * Integer.BYTES).putInt(client.caller().flavor()).putInt(client.caller().user()).flip());
            return HexFormat.of().formatHex(digest.digest(client.owner().bytes()));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    @Override
    public synchronized void close() {
        if (record != null) {
            try {
                record.close();
            } catch (IOException e) {
                LOG.debug("the record's lock: {}", e.toString());
            }
            record = null;
        }
    }
}

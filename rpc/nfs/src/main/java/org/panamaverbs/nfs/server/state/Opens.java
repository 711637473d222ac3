package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.panamaverbs.nfs.server.export.HeldFile;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** The open files of all clients, with their share reservations (RFC 8881, 9.7) and the {@link Locks} under them. */
public final class Opens {
    private final Limits.Share limit;
    private final States states = new States();
    private final Locks locks;
    private final Map<Node, List<Open>> byNode = new HashMap<>();
    private final Map<Client, List<Open>> byClient = new HashMap<>();
    private int size;

    /**
     * The request of a client.
     *
     * @param client the client
     * @param owner  of the open
     * @param access OPEN4_SHARE_ACCESS_, 1 to 3
     * @param deny   OPEN4_SHARE_DENY_, 0 to 3
     */
    public record Request(Client client, OwnerName owner, int access, int deny) {
        /** The same, which also writes. */
        public Request writing() {
            return new Request(client, owner, access | Nfs4.OPEN4_SHARE_ACCESS_WRITE, deny);
        }
    }

    /**
     * Makes a table.
     *
     * @param limit      of opens
     * @param limitLocks of byte-range locks and their sets
     */
    public Opens(Limits.Share limit, Limits.Share limitLocks) {
        this.limit = limit;
        locks = new Locks(this, states, limitLocks);
    }

    /** The byte-range locks. */
    public Locks locks() {
        return locks;
    }

    /** Refuses an open that another one denies, before a file is made or cut for it. */
    public synchronized void check(Request request, Node node) throws Refused {
        for (Open other : byNode.getOrDefault(node, List.of())) {
            boolean own = other.client() == request.client() && other.owner().equals(request.owner());
            if (!own && ((other.deny() & request.access()) != 0 || (request.deny() & other.access()) != 0)) {
                throw new Refused(Status.SHARE_DENIED);
            }
        }
    }

    /** Refuses an open if there are too many, or too many of the client's peer. */
    public synchronized void checkRoom(Client client) throws Refused {
        long ofPeer = byClient.entrySet().stream().filter(each -> each.getKey().caller().isSamePeerAs(client.caller()))
                .mapToLong(each -> each.getValue().size()).sum();
        limit.check(size, ofPeer);
    }

    /**
     * Opens a file, or adds to the owner's open of it.
     *
     * @param file the file, which this takes in any case
     */
    public StateId open(Request request, HeldFile file) throws IOException {
        HeldFile unused = file;
        try {
            synchronized (this) {
                check(request, file.node());
                Open existing = find(request, file.node());
                if (existing != null) {
                    open(existing.file(), request.access());
                    existing.share(existing.access() | request.access(), existing.deny() | request.deny());
                    existing.step();
                    return existing.stateId();
                }
                checkRoom(request.client());
                if (request.client().isGone()) {
                    throw new Refused(Status.EXPIRED);
                }
                open(file, request.access());
                Open open = new Open(request.client(), request.owner(), file, states.name());
                open.share(request.access(), request.deny());
                states.add(open);
                size++;
                byNode.computeIfAbsent(file.node(), any -> new ArrayList<>()).add(open);
                byClient.computeIfAbsent(request.client(), any -> new ArrayList<>()).add(open);
                unused = null;
                return open.stateId();
            }
        } finally {
            if (unused != null) {
                unused.close();
            }
        }
    }

    private static void open(HeldFile file, int access) throws IOException {
        file.open((access & Nfs4.OPEN4_SHARE_ACCESS_READ) != 0, (access & Nfs4.OPEN4_SHARE_ACCESS_WRITE) != 0);
    }

    private Open find(Request request, Node node) {
        for (Open open : byNode.getOrDefault(node, List.of())) {
            if (open.client() == request.client() && open.owner().equals(request.owner())) {
                return open;
            }
        }
        return null;
    }

    /** The state of a name, of whatever kind (RFC 8881, 8.2.4). */
    public synchronized State find(StateId id, Client client) throws Refused {
        return states.find(id, client);
    }

    /** The open of a state for reading or writing a file: of locks, the one that they came by (RFC 8881, 9.1.2). */
    public synchronized Open use(StateId id, Client client, Node node, int access) throws Refused {
        Open open = states.find(id, client, node, State.class).open();
        if ((open.access() & access) == 0) {
            throw new Refused(Status.OPENMODE);
        }
        return open;
    }

    /** Refuses an access without an open that some open denies. */
    public synchronized void checkAnonymous(Node node, int access) throws Refused {
        for (Open open : byNode.getOrDefault(node, List.of())) {
            if ((open.deny() & access) != 0) {
                throw new Refused(Status.LOCKED);
            }
        }
    }

    /** Any channel that is open for writing a file, or {@code null}. */
    public synchronized FileChannel anyWriter(Node node) {
        return byNode.getOrDefault(node, List.of()).stream().map(open -> open.file().channel(true)).filter(Objects::nonNull).findFirst()
                .orElse(null);
    }

    /** Gives up a part of an open (RFC 8881, 18.18). */
    public synchronized StateId downgrade(StateId id, Client client, Node node, int access, int deny) throws Refused {
        Open open = states.find(id, client, node, Open.class);
        if (access == 0 || (access & ~open.access()) != 0 || (deny & ~open.deny()) != 0) {
            throw new Refused(Status.INVAL);
        }
        open.share(access, deny);
        open.step();
        return open.stateId();
    }

    /** Closes; the locks under the open end (RFC 8881, 18.2.3). */
    public void close(StateId id, Client client, Node node) throws Refused {
        Open open;
        synchronized (this) {
            open = states.find(id, client, node, Open.class);
            remove(open);
        }
        open.file().close();
    }

    private void remove(Open open) {
        locks.end(open);
        states.remove(open);
        size--;
        removeFrom(byNode, open.file().node(), open);
        removeFrom(byClient, open.client(), open);
    }

    private static <K> void removeFrom(Map<K, List<Open>> map, K key, Open open) {
        List<Open> opens = map.get(key);
        if (opens != null) {
            opens.remove(open);
            if (opens.isEmpty()) {
                map.remove(key);
            }
        }
    }

    /** Whether a client has any. */
    public synchronized boolean has(Client client) {
        return byClient.containsKey(client);
    }

    /** Closes all of a client. */
    public void closeAll(Client client) {
        List<Open> all;
        synchronized (this) {
            all = List.copyOf(byClient.getOrDefault(client, List.of()));
            all.forEach(this::remove);
        }
        all.forEach(open -> open.file().close());
    }

    /** Closes all of all. */
    public void closeAll() {
        List<Client> clients;
        synchronized (this) {
            clients = List.copyOf(byClient.keySet());
        }
        clients.forEach(this::closeAll);
    }

    /** How many there are. */
    public synchronized int size() {
        return size;
    }

    /** Access bits without those for delegations; refused if none is left. */
    public static int checkAccess(int value) throws Refused {
        int access = value & Nfs4.OPEN4_SHARE_ACCESS_BOTH;
        int rest = value & ~Nfs4.OPEN4_SHARE_ACCESS_BOTH & ~Nfs4.OPEN4_SHARE_ACCESS_WANT_DELEG_MASK & ~0x30000;
        if (access == 0 || rest != 0) {
            throw new Refused(Status.INVAL);
        }
        return access;
    }

    /** Deny bits; refused if they are none. */
    public static int checkDeny(int value) throws Refused {
        if ((value & ~Nfs4.OPEN4_SHARE_DENY_BOTH) != 0) {
            throw new Refused(Status.INVAL);
        }
        return value;
    }
}

package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.security.SecureRandom;
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

/** The open files of all clients, with their share reservations (RFC 8881, 9.7). */
public final class Opens {
    private final Limits.Share limit;
    private final SecureRandom random = new SecureRandom();
    private final Map<Key, Open> byState = new HashMap<>();
    private final Map<Node, List<Open>> byNode = new HashMap<>();
    private final Map<Client, List<Open>> byClient = new HashMap<>();
    private int counter;

    private record Key(long high, int low) {
        static Key of(StateId id) {
            return new Key(id.high(), id.low());
        }
    }

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

    /** Makes a table. */
    public Opens(Limits.Share limit) {
        this.limit = limit;
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
        limit.check(byState.size(), ofPeer);
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
                Open known = find(request, file.node());
                if (known != null) {
                    open(known.file(), request.access());
                    known.share(known.access() | request.access(), known.deny() | request.deny());
                    known.step();
                    return known.stateId();
                }
                checkRoom(request.client());
                if (request.client().isGone()) {
                    throw new Refused(Status.EXPIRED);
                }
                open(file, request.access());
                Open open = new Open(request.client(), request.owner(), file, new StateId(1, random.nextLong(), ++counter));
                open.share(request.access(), request.deny());
                byState.put(Key.of(open.stateId()), open);
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

    /** The open of a state (RFC 8881, 8.2.4). */
    public synchronized Open find(StateId id, Client client) throws Refused {
        Open open = byState.get(Key.of(id));
        if (open == null || open.client() != client) {
            throw new Refused(Status.BAD_STATEID);
        }
        if (id.sequence() != 0 && id.sequence() != open.sequence()) {
            throw new Refused(id.sequence() - open.sequence() < 0 ? Status.OLD_STATEID : Status.BAD_STATEID);
        }
        return open;
    }

    /** The open of a state for reading or writing a file. */
    public synchronized Open use(StateId id, Client client, Node node, int access) throws Refused {
        Open open = find(id, client);
        if (open.file().node() != node) {
            throw new Refused(Status.BAD_STATEID);
        }
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
        Open open = find(id, client);
        if (open.file().node() != node) {
            throw new Refused(Status.BAD_STATEID);
        }
        if (access == 0 || (access & ~open.access()) != 0 || (deny & ~open.deny()) != 0) {
            throw new Refused(Status.INVAL);
        }
        open.share(access, deny);
        open.step();
        return open.stateId();
    }

    /** Closes. */
    public void close(StateId id, Client client, Node node) throws Refused {
        Open open;
        synchronized (this) {
            open = find(id, client);
            if (open.file().node() != node) {
                throw new Refused(Status.BAD_STATEID);
            }
            remove(open);
        }
        open.file().close();
    }

    private void remove(Open open) {
        byState.remove(Key.of(open.stateId()));
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
        return byState.size();
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

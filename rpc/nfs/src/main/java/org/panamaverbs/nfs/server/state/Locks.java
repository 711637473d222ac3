package org.panamaverbs.nfs.server.state;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/**
 * The byte-range locks of all clients (RFC 8881, 9). They are advisory: they hold other locks off, and no READ and no WRITE. They end with the
 * open that they came by, so the monitor of {@link Opens} guards both.
 */
public final class Locks {
    /** Each LOCK looks at all locks of its file. */
    private static final Limits.Share OF_FILE = Limits.Share.of(2048);

    private final Opens opens;
    private final States states;
    private final Limits.Share limit;
    private final Map<Node, FileLocks> byNode = new HashMap<>();
    /** How many sets and locks each client has. */
    private final Map<Client, Integer> taken = new HashMap<>();

    /**
     * A lock that a client wants, or has.
     *
     * @param client the client
     * @param owner  among the client's owners of locks
     * @param range  the bytes
     * @param write  whether it is exclusive
     */
    public record Wanted(Client client, OwnerName owner, ByteRange range, boolean write) {
    }

    /**
     * The answer of LOCK.
     *
     * @param state  of the locks of the owner; {@code null} if there is a conflicting lock
     * @param denier the conflicting lock, or {@code null}
     */
    public record Answer(StateId state, Wanted denier) {
    }

    Locks(Opens opens, States states, Limits.Share limit) {
        this.opens = opens;
        this.states = states;
        this.limit = limit;
    }

    /** LOCK by an owner that names itself and its open. */
    public Answer lock(StateId open, Node node, Wanted wanted) throws Refused {
        synchronized (opens) {
            Open under = states.find(open, wanted.client(), node, Open.class);
            LockSet existing = under.locks().get(wanted.owner());
            LockSet set = existing == null ? new LockSet(under, wanted.owner(), states.name()) : existing;
            return lock(set, existing == null, node, wanted.range(), wanted.write());
        }
    }

    /** LOCK by an owner that has locks of this file already. */
    public Answer lock(StateId locks, Client client, Node node, ByteRange range, boolean write) throws Refused {
        synchronized (opens) {
            return lock(states.find(locks, client, node, LockSet.class), false, node, range, write);
        }
    }

    private Answer lock(LockSet set, boolean fresh, Node node, ByteRange range, boolean write) throws Refused {
        int access = write ? Nfs4.OPEN4_SHARE_ACCESS_WRITE : Nfs4.OPEN4_SHARE_ACCESS_READ;
        if ((set.open().access() & access) == 0) {
            throw new Refused(Status.OPENMODE);
        }
        Optional<Wanted> denier = test(node, new Wanted(set.open().client(), set.owner(), range, write));
        if (denier.isPresent()) {
            return new Answer(null, denier.get());
        }
        FileLocks after = of(node).with(set, range, write);
        replace(set.open().client(), node, after, fresh ? 1 : 0);
        if (fresh) {
            states.add(set);
            set.open().locks().put(set.owner(), set);
        } else {
            set.step();
        }
        return new Answer(set.stateId(), null);
    }

    /** LOCKT: the lock that conflicts with another one. */
    public Optional<Wanted> test(Node node, Wanted wanted) {
        synchronized (opens) {
            return of(node).conflict(wanted.client(), wanted.owner(), wanted.range(), wanted.write())
                    .map(lock -> new Wanted(lock.set().open().client(), lock.set().owner(), lock.range(), lock.write()));
        }
    }

    /** LOCKU. */
    public StateId unlock(StateId locks, Client client, Node node, ByteRange range) throws Refused {
        synchronized (opens) {
            LockSet set = states.find(locks, client, node, LockSet.class);
            replace(client, node, of(node).without(set, range), 0);
            set.step();
            return set.stateId();
        }
    }

    /** FREE_STATEID: of a set that is empty. */
    public void free(StateId id, Client client) throws Refused {
        synchronized (opens) {
            State state = states.find(id, client);
            if (!(state instanceof LockSet set) || of(set.open().file().node()).has(set)) {
                throw new Refused(Status.LOCKS_HELD);
            }
            end(set.open(), List.of(set));
        }
    }

    /** An open ends, and so do its locks. */
    void end(Open open) {
        if (!open.locks().isEmpty()) {
            end(open, Set.copyOf(open.locks().values()));
        }
    }

    private void end(Open open, Collection<LockSet> sets) {
        sets.forEach(states::remove);
        open.locks().values().removeAll(sets);
        FileLocks before = of(open.file().node());
        FileLocks after = before.without(sets);
        put(open.client(), open.file().node(), after, after.size() - before.size() - sets.size());
    }

    /** Unlocking a part of a lock makes two of one: the limits hold for it, too. */
    private void replace(Client client, Node node, FileLocks after, int sets) throws Refused {
        int locks = after.size() - of(node).size();
        if (locks + sets > 0) {
            long all = taken.values().stream().mapToLong(Integer::longValue).sum();
            long ofPeer = taken.entrySet().stream().filter(each -> each.getKey().caller().isSamePeerAs(client.caller()))
                    .mapToLong(Map.Entry::getValue).sum();
            int more = locks + sets - 1;
            if (!limit.hasRoom(all + more, ofPeer + more)
                    || locks > 0 && !OF_FILE.hasRoom(after.size() - 1, after.ofPeer(client.caller()) - 1)) {
                // LOCK and LOCKU have no error for want of room but this one (RFC 8881, 15.2).
                throw new Refused(Status.DELAY);
            }
        }
        put(client, node, after, locks + sets);
    }

    private void put(Client client, Node node, FileLocks after, int more) {
        if (after.size() == 0) {
            byNode.remove(node);
        } else {
            byNode.put(node, after);
        }
        taken.merge(client, more, (before, change) -> before + change == 0 ? null : Integer.valueOf(before + change));
    }

    private FileLocks of(Node node) {
        return byNode.getOrDefault(node, FileLocks.NONE);
    }

    /** How many sets and locks there are. */
    public int size() {
        synchronized (opens) {
            return taken.values().stream().mapToInt(Integer::intValue).sum();
        }
    }
}

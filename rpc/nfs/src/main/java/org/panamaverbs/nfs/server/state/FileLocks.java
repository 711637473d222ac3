package org.panamaverbs.nfs.server.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The byte-range locks of one file by POSIX's rules (RFC 8881, 9.2, 9.3 and 9.5): a byte has the state that its owner gave it last, so a lock
 * cuts what the owner had there, and joins what it touches. It never changes: each method returns its successor.
 *
 * @param all the locks; those of one owner do not overlap
 */
record FileLocks(List<Lock> all) {
    static final FileLocks NONE = new FileLocks(List.of());

    /**
     * A lock.
     *
     * @param set   of the owner, and of the open that it came by
     * @param range the bytes
     * @param write whether it is exclusive
     */
    record Lock(LockSet set, ByteRange range, boolean write) {
        Lock at(ByteRange other) {
            return new Lock(set, other, write);
        }
    }

    /** A lock of another owner that does not allow this one. */
    Optional<Lock> conflict(Client client, OwnerName owner, ByteRange range, boolean write) {
        return all.stream().filter(lock -> (write || lock.write()) && lock.range().overlaps(range) && !lock.set().isOf(client, owner))
                .findFirst();
    }

    FileLocks with(LockSet set, ByteRange range, boolean write) {
        List<Lock> left = new ArrayList<>(all.size() + 2);
        ByteRange joined = range;
        for (Lock lock : all) {
            if (lock.set() == set && lock.write() == write && lock.range().meets(range)) {
                joined = joined.and(lock.range());
            } else {
                addRest(left, lock, set, range);
            }
        }
        left.add(new Lock(set, joined, write));
        return new FileLocks(left);
    }

    /** Without what the owner has in a range, by whatever open. */
    FileLocks without(LockSet set, ByteRange range) {
        List<Lock> left = new ArrayList<>(all.size() + 1);
        all.forEach(lock -> addRest(left, lock, set, range));
        return new FileLocks(left);
    }

    private static void addRest(List<Lock> left, Lock lock, LockSet set, ByteRange range) {
        if (!lock.range().overlaps(range) || !lock.set().isOf(set.open().client(), set.owner())) {
            left.add(lock);
            return;
        }
        if (lock.range().beginsBefore(range)) {
            left.add(lock.at(lock.range().before(range)));
        }
        if (lock.range().endsBehind(range)) {
            left.add(lock.at(lock.range().behind(range)));
        }
    }

    /** Without those of sets that end. */
    FileLocks without(Collection<LockSet> ended) {
        return new FileLocks(all.stream().filter(lock -> !ended.contains(lock.set())).toList());
    }

    boolean has(LockSet set) {
        return all.stream().anyMatch(lock -> lock.set() == set);
    }

    int size() {
        return all.size();
    }

    long ofPeer(Caller caller) {
        return all.stream().filter(lock -> lock.set().open().client().caller().isSamePeerAs(caller)).count();
    }
}

package org.panamaverbs.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.nfs.xdr.StateId;

/** The locks of a file against a model that has the state of each byte. */
class FileLocksTest {
    private static final int BYTES = 40;
    private static final Client CLIENT = new Client(1, new OwnerName(new byte[1]), 0, Callers.at("192.0.2.1"), 0);
    private static final OwnerName[] OWNERS = { new OwnerName(new byte[] { 1 }), new OwnerName(new byte[] { 2 }) };

    /** Two opens, by which both owners lock. */
    private final LockSet[][] sets = new LockSet[2][2];
    /** By owner and byte: the lock there, or {@code null}. */
    private final FileLocks.Lock[][] model = new FileLocks.Lock[2][BYTES];
    private FileLocks locks = FileLocks.NONE;

    /** At both ends of what 64 bits can count. */
    @ParameterizedTest
    @ValueSource(longs = { 0, Long.MAX_VALUE - BYTES / 2, -BYTES })
    void shouldAgreeWithTheModel(long base) throws Refused {
        for (int open = 0; open < 2; open++) {
            Open under = new Open(CLIENT, OWNERS[open], null, new StateId(1, 2, open));
            for (int owner = 0; owner < 2; owner++) {
                sets[owner][open] = new LockSet(under, OWNERS[owner], new StateId(1, 1, 2 * open + owner));
            }
        }
        Random random = new Random(29);
        for (int step = 0; step < 5000; step++) {
            step(random, base);
            check(base, "step " + step);
        }
    }

    private void step(Random random, long base) throws Refused {
        int first = random.nextInt(BYTES);
        int last = first + random.nextInt(BYTES - first);
        ByteRange range = range(base, first, last);
        int owner = random.nextInt(2);
        LockSet set = sets[owner][random.nextInt(2)];
        boolean write = random.nextBoolean();
        switch (random.nextInt(8)) {
            case 0 -> {
                locks = locks.without(List.of(set));
                put(owner, 0, BYTES - 1, null, set);
            }
            case 1, 2, 3 -> {
                locks = locks.without(set, range);
                put(owner, first, last, null, null);
            }
            default -> {
                boolean free = isFree(1 - owner, first, last, write);
                assertEquals(free, locks.conflict(CLIENT, OWNERS[owner], range, write).isEmpty());
                if (free) {
                    locks = locks.with(set, range, write);
                    put(owner, first, last, new FileLocks.Lock(set, range, write), null);
                }
            }
        }
    }

    private static ByteRange range(long base, int first, int last) throws Refused {
        // The last byte of all is named by a length of its own.
        ByteRange range = ByteRange.of(base + first, base + last == -1 ? -1 : last - first + 1L);
        assertEquals(base + last, range.last());
        return range;
    }

    /** Changes all bytes, or only those of a set. */
    private void put(int owner, int first, int last, FileLocks.Lock lock, LockSet only) {
        for (int i = first; i <= last; i++) {
            if (only == null || model[owner][i] != null && model[owner][i].set() == only) {
                model[owner][i] = lock;
            }
        }
    }

    private boolean isFree(int owner, int first, int last, boolean write) {
        for (int i = first; i <= last; i++) {
            if (model[owner][i] != null && (write || model[owner][i].write())) {
                return false;
            }
        }
        return true;
    }

    /** Each byte is as in the model, and locks that touch and are alike are one. */
    private void check(long base, String when) {
        List<String> expected = new ArrayList<>();
        for (int owner = 0; owner < 2; owner++) {
            for (int first = 0; first < BYTES; first++) {
                FileLocks.Lock lock = model[owner][first];
                int last = first;
                while (lock != null && last + 1 < BYTES && alike(lock, model[owner][last + 1])) {
                    last++;
                }
                if (lock != null) {
                    expected.add(text(lock, base + first, base + last));
                }
                first = last;
            }
        }
        List<String> found = locks.all().stream().map(lock -> text(lock, lock.range().first(), lock.range().last())).sorted().toList();
        assertEquals(expected.stream().sorted().toList(), found, when);
        for (LockSet[] ofOwner : sets) {
            for (LockSet set : ofOwner) {
                if (locks.all().stream().anyMatch(lock -> lock.set() == set)) {
                    assertTrue(locks.has(set));
                } else {
                    assertFalse(locks.has(set));
                }
            }
        }
    }

    private static boolean alike(FileLocks.Lock one, FileLocks.Lock other) {
        return other != null && one.set() == other.set() && one.write() == other.write();
    }

    private static String text(FileLocks.Lock lock, long first, long last) {
        return lock.set().stateId().low() + (lock.write() ? " writes " : " reads ") + Long.toHexString(first) + " to "
                + Long.toHexString(last);
    }
}

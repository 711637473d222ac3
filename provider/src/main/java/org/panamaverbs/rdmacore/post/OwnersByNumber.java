package org.panamaverbs.rdmacore.post;

/**
 * Queue pairs by their numbers. Finding one takes no lock and allocates nothing. For a moment two may have one number: devices give the number
 * of a queue pair that is destroyed to the next one.
 */
public final class OwnersByNumber {
    /** A power of 2 slots, at least half of them {@code null}: open addressing. It is replaced and never changed. */
    private volatile WorkOwner[] slots = new WorkOwner[2];
    private volatile int count;

    public boolean isEmpty() {
        return count == 0;
    }

    public synchronized void add(WorkOwner owner) {
        count = count + 1;
        rebuild(owner, null);
    }

    public synchronized void remove(WorkOwner owner) {
        if (has(owner)) {
            count = count - 1;
            rebuild(null, owner);
        }
    }

    private boolean has(WorkOwner owner) {
        WorkOwner[] table = slots;
        int slot = slot(owner.number(), table.length);
        while (table[slot] != null && table[slot] != owner) {
            slot = slot + 1 & table.length - 1;
        }
        return table[slot] != null;
    }

    private void rebuild(WorkOwner added, WorkOwner removed) {
        WorkOwner[] next = new WorkOwner[Integer.highestOneBit(Math.max(1, count)) * 4];
        for (WorkOwner owner : slots) {
            if (owner != null && owner != removed) {
                put(next, owner);
            }
        }
        if (added != null) {
            put(next, added);
        }
        slots = next;
    }

    private static void put(WorkOwner[] into, WorkOwner owner) {
        int slot = slot(owner.number(), into.length);
        while (into[slot] != null) {
            slot = slot + 1 & into.length - 1;
        }
        into[slot] = owner;
    }

    /** The queue pair of a number, or {@code null}. */
    public WorkOwner find(int number) {
        WorkOwner[] table = slots;
        int slot = slot(number, table.length);
        while (table[slot] != null && table[slot].number() != number) {
            slot = slot + 1 & table.length - 1;
        }
        return table[slot];
    }

    /** Numbers are often consecutive: multiplied, they spread over the slots. */
    private static int slot(int number, int length) {
        return number * 0x9E3779B9 >>> 16 & length - 1;
    }
}

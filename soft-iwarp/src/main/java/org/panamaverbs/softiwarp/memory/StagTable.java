package org.panamaverbs.softiwarp.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntSupplier;

/**
 * Registered memory, found by STag. An STag has an index and a key, for verbs of 24 and 8 bits. Both are random: hard to guess, and spread
 * over the whole range (RFC 5042, 8.2). A lookup takes no lock; a registration takes one.
 *
 * @param <T> the kind of the entries
 */
public final class StagTable<T extends Registered> {
    /** The STags 0 and 1 are never assigned: messages of length 0 carry 1. */
    private static final int RESERVED = 1;
    private static final int MINIMUM_SLOTS = 64;
    private static final int KEY_BITS_OF_VERBS = 8;

    private final IntSupplier random;
    private final int maximum;
    private final int keyBits;
    /** Open addressing by the index's low bits, linear probing; at most half full. {@link #rebuild} replaces the whole array. */
    private volatile AtomicReferenceArray<Slot<T>> slots = new AtomicReferenceArray<>(MINIMUM_SLOTS);
    private int live;
    private int used;

    /**
     * A slot that is taken, or was taken: {@code memory} is {@code null} once the memory is removed. The slot stays, so that a lookup still
     * finds the slots after it.
     */
    private static final class Slot<T> {
        /** Only {@link #replace} changes the STag; its index stays. */
        volatile int stag;
        volatile T memory;

        Slot(int stag, T memory) {
            this.stag = stag;
            this.memory = memory;
        }
    }

    /**
     * Makes an empty table of verbs, whose STags have an index of 24 bits and a key of 8 bits.
     *
     * @param random  returns 32 random bits that are hard to guess
     * @param maximum the most entries
     */
    public StagTable(IntSupplier random, int maximum) {
        this(random, maximum, KEY_BITS_OF_VERBS);
    }

    /**
     * Makes an empty table.
     *
     * @param random  returns 32 random bits that are hard to guess
     * @param maximum the most entries
     * @param keyBits the bits of an STag that are its key: no two entries differ in these bits alone
     */
    public StagTable(IntSupplier random, int maximum, int keyBits) {
        this.random = random;
        this.maximum = maximum;
        this.keyBits = keyBits;
    }

    /**
     * Finds memory by its STag.
     *
     * @param stag any 32 bits
     * @return {@code null} if no memory has that STag
     */
    public T find(int stag) {
        Slot<T> slot = slot(slots, stag);
        return slot == null ? null : slot.memory;
    }

    private Slot<T> slot(AtomicReferenceArray<Slot<T>> slots, int stag) {
        int mask = slots.length() - 1;
        for (int i = index(stag) & mask;; i = i + 1 & mask) {
            Slot<T> slot = slots.get(i);
            if (slot == null || slot.stag == stag) {
                return slot;
            }
        }
    }

    /** The index in an STag: the bits above its key. */
    private int index(int stag) {
        return stag >>> keyBits;
    }

    /**
     * Adds memory and assigns its STag.
     *
     * @param memory must be in no table
     * @return {@code false} if the table is full
     */
    public synchronized boolean add(T memory) {
        if (!makeRoom()) {
            return false;
        }
        int stag;
        do {
            stag = random.getAsInt();
        } while (isReserved(stag) || hasIndex(stag, false));
        put(memory, stag);
        return true;
    }

    /**
     * Adds memory by an STag that the program chose.
     *
     * @param memory must be in no table
     * @param stag   not reserved
     * @return {@code false} if the table is full, or if the index of that STag belongs to other memory
     */
    public synchronized boolean add(T memory, int stag) {
        if (!makeRoom() || hasIndex(stag, true)) {
            return false;
        }
        Slot<T> gone = slot(slots, stag);
        if (gone == null) {
            put(memory, stag);
        } else {
            // A lookup stops at the first slot with that STag.
            memory.stag(stag);
            gone.memory = memory;
            live++;
        }
        return true;
    }

    /**
     * Replaces memory or its STag; the index stays the same. The old memory must be retired, since a lookup may still return it.
     *
     * @param old    memory of this table
     * @param memory the old memory, or memory that is in no table
     * @param stag   an STag with the same index, not reserved
     * @return {@code false} if the old memory is no longer in the table
     */
    public synchronized boolean replace(T old, T memory, int stag) {
        Slot<T> slot = slot(slots, old.stag());
        if (slot == null || slot.memory != old) {
            return false;
        }
        // In this order: no lookup finds the new memory by the old STag, or the old memory by the new STag.
        slot.memory = null;
        memory.stag(stag);
        slot.stag = stag;
        slot.memory = memory;
        return true;
    }

    /** Draws 64 random bits that are hard to guess. */
    synchronized long draw() {
        return (long) random.getAsInt() << Integer.SIZE | Integer.toUnsignedLong(random.getAsInt());
    }

    /** Whether it has as many entries as it can have. */
    public synchronized boolean isFull() {
        return live == maximum;
    }

    /** Whether no memory may have that STag. */
    public static boolean isReserved(int stag) {
        return (stag >>> 1) == (RESERVED >>> 1);
    }

    private boolean makeRoom() {
        if (live == maximum) {
            return false;
        }
        if ((used + 1) * 2 > slots.length()) {
            rebuild();
        }
        return true;
    }

    private void put(T memory, int stag) {
        memory.stag(stag);
        put(slots, new Slot<>(stag, memory));
        live++;
        used++;
    }

    /** Whether the index of an STag is taken with any key: an index names one region. A random STag takes no index that was used lately. */
    private boolean hasIndex(int stag, boolean liveOnly) {
        int mask = slots.length() - 1;
        for (int i = index(stag) & mask;; i = i + 1 & mask) {
            Slot<T> slot = slots.get(i);
            if (slot == null) {
                return false;
            }
            if (index(slot.stag) == index(stag) && !(liveOnly && slot.memory == null)) {
                return true;
            }
        }
    }

    private void put(AtomicReferenceArray<Slot<T>> slots, Slot<T> slot) {
        int mask = slots.length() - 1;
        int i = index(slot.stag) & mask;
        while (slots.get(i) != null) {
            i = i + 1 & mask;
        }
        slots.set(i, slot);
    }

    /** Makes a new array for the live memory, with room for more; drops the slots of removed memory. */
    private void rebuild() {
        int length = MINIMUM_SLOTS;
        while (length < (live + 1) * 4) {
            length *= 2;
        }
        AtomicReferenceArray<Slot<T>> larger = new AtomicReferenceArray<>(length);
        for (int i = 0; i < slots.length(); i++) {
            Slot<T> slot = slots.get(i);
            if (slot != null && slot.memory != null) {
                put(larger, slot);
            }
        }
        slots = larger;
        used = live;
    }

    /**
     * Removes memory and retires it before this returns.
     *
     * @param memory must have been added to this table
     * @return {@code false} if it was removed before
     */
    public boolean remove(T memory) {
        boolean first;
        synchronized (this) {
            Slot<T> slot = slot(slots, memory.stag());
            first = slot != null && slot.memory == memory;
            if (first) {
                slot.memory = null;
                live--;
            }
        }
        // In either case: a thread that removed it before may still wait for those that use it, and this one promises the same.
        memory.retire();
        return first;
    }
}

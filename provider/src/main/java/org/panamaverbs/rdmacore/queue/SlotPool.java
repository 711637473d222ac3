package org.panamaverbs.rdmacore.queue;

/** The free slots of a table. Slots become free in any order; the slot that became free last is taken first. */
public final class SlotPool {
    private final int[] free;
    private final boolean[] taken;
    private int freeCount;

    public SlotPool(int slots) {
        this.free = new int[slots];
        this.taken = new boolean[slots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    public boolean hasRoom() {
        return freeCount > 0;
    }

    /** Takes a free slot; there is one. */
    public int take() {
        int slot = free[--freeCount];
        taken[slot] = true;
        return slot;
    }

    /** Whether a slot is taken; any number is fine. */
    public boolean isTaken(int slot) {
        return slot >= 0 && slot < taken.length && taken[slot];
    }

    /** Gives a slot back; {@code false} if it was not taken. */
    public boolean give(int slot) {
        if (!isTaken(slot)) {
            return false;
        }
        taken[slot] = false;
        free[freeCount++] = slot;
        return true;
    }
}

package org.panamaverbs.rdmacore.queue;

/** Which places of a table are taken. They become free in any order; what is free is taken again, the latest first. */
public final class PlaceTable {
    private final int[] free;
    private final boolean[] taken;
    private int freeCount;

    public PlaceTable(int places) {
        this.free = new int[places];
        this.taken = new boolean[places];
        for (int place = places - 1; place >= 0; place--) {
            free[freeCount++] = place;
        }
    }

    public boolean hasRoom() {
        return freeCount > 0;
    }

    /** Takes a free place, of which there is one. */
    public int take() {
        int place = free[--freeCount];
        taken[place] = true;
        return place;
    }

    /** Gives one back; {@code false} where it was not taken. */
    public boolean give(int place) {
        if (place < 0 || place >= taken.length || !taken[place]) {
            return false;
        }
        taken[place] = false;
        free[freeCount++] = place;
        return true;
    }
}

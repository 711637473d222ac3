package org.panamaverbs.rdmacore.post;

/** The address handles that requests of a send queue name, until these are done. Under the lock of sends. */
public final class NamedHandles {
    private final HeldHandle[] bySlot;
    private int released;

    public NamedHandles(int slots) {
        this.bySlot = new HeldHandle[slots];
    }

    /** A request names a handle, which it holds already. */
    void name(int sequence, HeldHandle handle) {
        bySlot[sequence & bySlot.length - 1] = handle;
    }

    /** All requests before this one are done. */
    void releaseBefore(int sequence) {
        for (; released != sequence; released++) {
            int slot = released & bySlot.length - 1;
            HeldHandle handle = bySlot[slot];
            bySlot[slot] = null;
            handle.release();
        }
    }
}

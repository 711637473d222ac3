package org.panamaverbs.softiwarp.simulation;

import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.spi.AccessFlags;

/** A memory window of a node, as the model has it: what is known to be bound, and whether that is about to change. */
final class SimulatedWindow {
    final Window window;
    /** Whether it is of type 2. */
    final boolean ofOneStream;
    final Memory memory;
    private int key;
    private long from;
    private long to;
    /** A request of its node that binds or invalidates it is posted, and has not completed. */
    private boolean changing;
    /** The peer has posted a Send that invalidates it, which has not come. */
    private boolean invalidatedByPeer;

    SimulatedWindow(StagTable<RegisteredMemory> table, Object domain, boolean ofOneStream, Memory memory) {
        this.window = Window.allocate(table, domain, ofOneStream);
        this.ofOneStream = ofOneStream;
        this.memory = memory;
        this.key = window.stag();
    }

    /** The right that its bindings give to the peer. */
    int rights() {
        return memory.region().access() & (AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC);
    }

    /** The STag of the last binding. */
    int key() {
        return key;
    }

    boolean isBound() {
        return from < to;
    }

    /** Whether what it is bound to is about to change. */
    boolean isChanging() {
        return changing || invalidatedByPeer;
    }

    /** Whether the peer may reach a part of memory by its key. */
    boolean covers(Memory wanted, long offset, long length) {
        return !isChanging() && memory == wanted && from <= offset && offset + length <= to;
    }

    /** How many bytes the peer may reach by its key, from a place in memory on. */
    long reach(Memory wanted, long offset) {
        return memory == wanted && from <= offset ? Math.max(0, to - offset) : 0;
    }

    /** A request of its node for it is posted. */
    void onPosted() {
        changing = true;
    }

    /** The peer has posted a Send that invalidates it. */
    void onInvalidationPosted() {
        invalidatedByPeer = true;
    }

    void onBound(int stag, long start, long end) {
        key = stag;
        from = start;
        to = end;
        changing = false;
    }

    void onInvalidated() {
        from = 0;
        to = 0;
        changing = false;
        invalidatedByPeer = false;
    }
}

package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_mw;

/**
 * A memory window. Its key is that of the last binding posted; libibverbs' struct has that of the last one submitted to the device,
 * which drivers read when the next is submitted.
 *
 * <p>A thread that needs the locks of a region and of a window takes the region's first.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class CoreMemoryWindow implements MemoryWindow {
    /** The part of a key that its owner chooses. */
    private static final int TAG = 0xFF;

    private final DomainMemory memory;
    private final Type type;
    private MemorySegment address;
    private int key;
    /** Of type 2: the queue pair that it belongs to. */
    private WindowOwner owner;
    /** The region that it was bound to last. */
    private CoreMemoryRegion region;
    private boolean closed;

    public CoreMemoryWindow(DomainMemory memory, Type type) {
        this.memory = memory;
        this.type = type;
        allocate();
    }

    private void allocate() {
        address = memory.windowCalls().allocate(memory.address(), type, memory.device().name()).reinterpret(ibv_mw.sizeof());
        key = ibv_mw.rkey(address);
    }

    /** {@code ibv_inc_rkey}, or back. */
    private static int step(int key, int by) {
        return key & ~TAG | key + by & TAG;
    }

    /** Libibverbs' struct; under the lock, since it may become another. */
    public MemorySegment address() {
        return address;
    }

    /** Whether a key that was promised is one of that struct still. */
    public boolean canHave(int promised) {
        return (promised & ~TAG) == (key & ~TAG);
    }

    @Override
    public ProtectionDomain domain() {
        return memory.domain();
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public synchronized int remoteKey() {
        return key;
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    /** A binding is posted; gives the key that it makes valid. */
    public synchronized int next() {
        key = step(key, 1);
        return key;
    }

    /** A binding was submitted to the device. */
    public synchronized void onSubmitted(int newKey, CoreMemoryRegion to, WindowOwner by) {
        ibv_mw.rkey(address, newKey);
        if (region != to) {
            unbind();
            region = to;
            to.binds(this);
        }
        if (type == Type.TYPE_2 && owner != by) {
            disown();
            owner = by;
            by.owns(this);
        }
    }

    private void unbind() {
        if (region != null) {
            region.forget(this);
            region = null;
        }
    }

    private void disown() {
        if (owner != null) {
            owner.forget(this);
            owner = null;
        }
    }

    /**
     * A queue pair goes. A window of type 2 that belongs to it keeps it: rxe waits 50 seconds for such a window to be freed. So it is, and
     * is another one then, bound to nothing.
     */
    public synchronized void release(WindowOwner by) {
        if (closed || owner != by) {
            return;
        }
        disown();
        unbind();
        memory.windowCalls().free(address);
        try {
            allocate();
        } catch (VerbsException noMore) {
            closed = true;
        }
    }

    /** A binding failed or was not even begun: the device has the key from before it, and all bindings after it fail too. */
    public synchronized void onFailed(int newKey) {
        if (!closed && (key - newKey & TAG) <= TAG / 2) {
            key = step(newKey, -1);
            ibv_mw.rkey(address, key);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            disown();
            unbind();
            memory.windowCalls().free(address);
        }
        memory.windows().remove(this);
    }
}

package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.bindings.rdma.ibv_mw;

/**
 * A memory window. Its key is that of the last binding posted; libibverbs' struct has that of the last one handed to the device, which
 * drivers read when they are handed the next.
 *
 * <p>Who needs the locks of a region and of a window takes the region's first.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreMemoryWindow implements MemoryWindow {
    /** The part of a key that its owner chooses. */
    private static final int TAG = 0xFF;

    private final CoreProtectionDomain domain;
    private final Type type;
    private final MemorySegment address;
    private int key;
    private boolean closed;

    CoreMemoryWindow(CoreProtectionDomain domain, Type type) {
        this.domain = domain;
        this.type = type;
        this.address = domain.device().windowCalls().allocate(domain.address(), type, domain.device().name()).reinterpret(ibv_mw.sizeof());
        this.key = ibv_mw.rkey(address);
    }

    /** {@code ibv_inc_rkey}, or back. */
    private static int step(int key, int by) {
        return key & ~TAG | key + by & TAG;
    }

    MemorySegment address() {
        return address;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public synchronized int remoteKey() {
        return key;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** A binding is posted; gives the key that it makes valid. */
    synchronized int next() {
        key = step(key, 1);
        return key;
    }

    /** A binding was handed to the device. */
    synchronized void onHanded(int newKey) {
        ibv_mw.rkey(address, newKey);
    }

    /** A binding failed or was not even begun: the device has the key from before it, and all bindings after it fail too. */
    synchronized void onFailed(int newKey) {
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
            domain.device().windowCalls().free(address);
        }
        domain.windows().remove(this);
    }
}

package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.Rollback;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.spi.support.ArenaHold;

/** A memory region. The device knows addresses, not arenas: so the arena stays open until the registration has ended. */
// Tested by RegistrationFaultsTest, DeregistrationFaultsTest.
public final class CoreMemoryRegion implements MemoryRegion {
    private final DomainMemory memory;
    private final MemorySegment segment;
    private final long base;
    private final long length;
    private final int access;
    private final MemorySegment address;
    private final int localKey;
    private final int remoteKey;
    private final ArenaHold hold;
    private volatile boolean valid = true;
    private boolean closed;
    /** The windows that were bound to it and may still be. */
    private final Set<CoreMemoryWindow> windows = ConcurrentHashMap.newKeySet();

    private CoreMemoryRegion(DomainMemory memory, MemorySegment segment, long base, long length, int access,
            Supplier<MemorySegment> registration) {
        this.memory = memory;
        this.segment = segment;
        this.base = base;
        this.length = length;
        this.access = access;
        try (Rollback undo = new Rollback()) {
            this.hold = ArenaHold.of(segment);
            undo.add(hold::release);
            this.address = registration.get();
            undo.commit();
        }
        this.localKey = ibv_mr.lkey(address);
        this.remoteKey = ibv_mr.rkey(address);
        memory.byKey().add(this);
    }

    public static CoreMemoryRegion of(DomainMemory memory, MemorySegment segment, RegistrationAttributes attributes) {
        long base = attributes.address().orElse(segment.address());
        return new CoreMemoryRegion(memory, segment, base, segment.byteSize(), attributes.access(),
                () -> Registration.of(memory, segment, base, attributes));
    }

    /** Memory of another device; where this machine has its memory there is none of it. */
    public static CoreMemoryRegion ofDmaBuf(DomainMemory memory, int descriptor, long offset, long length, int access) {
        return new CoreMemoryRegion(memory, MemorySegment.NULL, offset, length, access,
                () -> Registration.ofDmaBuf(memory, descriptor, offset, length, access));
    }

    void onInvalidated() {
        valid = false;
    }

    @Override
    public ProtectionDomain domain() {
        return memory.domain();
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return base;
    }

    /** The address of libibverbs' struct of it. */
    public long nativeAddress() {
        return address.address();
    }

    /** A window is bound to it. */
    void binds(CoreMemoryWindow window) {
        windows.add(window);
    }

    void forget(CoreMemoryWindow window) {
        windows.remove(window);
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int remoteKey() {
        return remoteKey;
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Whether the device knows it no more. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Ends the registration, or throws: then the device still has the memory, and the arena stays open. Closing it again tries again.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            valid = false;
            memory.byKey().remove(this);
            deregister();
            closed = true;
        }
        hold.release();
        memory.regions().remove(this);
    }

    private void deregister() {
        int error = Calls.DEREG_MR.attempt(address);
        if (error != 0) {
            // As long as a window is bound to it, devices refuse.
            windows.forEach(CoreMemoryWindow::close);
            error = Calls.DEREG_MR.attempt(address);
        }
        // The kernel answers EIO after it has taken the device away, and its registrations with it.
        if (error != 0 && !(error == Libc.EIO() && memory.hasDeviceFailed())) {
            throw Calls.DEREG_MR.failure("end the registration of " + length + " bytes on " + memory.device().name()
                    + ", which therefore stays, and keeps the arena of its memory open", error);
        }
    }
}

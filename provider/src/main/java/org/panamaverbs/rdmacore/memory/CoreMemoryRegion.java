package org.panamaverbs.rdmacore.memory;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.spi.AbstractMemoryRegion;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.FlightEvents;
import org.panamaverbs.spi.support.ArenaHold;
import org.panamaverbs.spi.support.Rollback;

/** A memory region. The device knows addresses, not arenas: so the arena stays open until the registration has ended. */
// Tested by RegistrationFaultsTest, DeregistrationFaultsTest.
public final class CoreMemoryRegion extends AbstractMemoryRegion {
    private final DomainMemory memory;
    private final MemorySegment registration;
    private final ArenaHold hold;
    private volatile boolean valid = true;
    private boolean closed;
    /** The windows that were bound to it and may still be. */
    private final Set<CoreMemoryWindow> windows = ConcurrentHashMap.newKeySet();

    private CoreMemoryRegion(DomainMemory memory, MemorySegment segment, RegistrationAttributes attributes, MemorySegment registration,
            ArenaHold hold) {
        super(memory.domain(), segment, attributes, ibv_mr.lkey(registration), ibv_mr.rkey(registration));
        this.memory = memory;
        this.registration = registration;
        this.hold = hold;
    }

    private CoreMemoryRegion(DomainMemory memory, long offset, long length, RegistrationAttributes attributes, MemorySegment registration,
            ArenaHold hold) {
        super(memory.domain(), offset, length, attributes, ibv_mr.lkey(registration), ibv_mr.rkey(registration));
        this.memory = memory;
        this.registration = registration;
        this.hold = hold;
    }

    public static CoreMemoryRegion of(DomainMemory memory, MemorySegment segment, RegistrationAttributes attributes) {
        return make(memory, segment, () -> Registration.of(memory, segment, attributes.address().orElse(segment.address()), attributes),
                (registration, hold) -> new CoreMemoryRegion(memory, segment, attributes, registration, hold));
    }

    /** Memory of another device; where this machine has its memory there is none of it. */
    public static CoreMemoryRegion ofDmaBuf(DomainMemory memory, int descriptor, long offset, long length,
            RegistrationAttributes attributes) {
        return make(memory, MemorySegment.NULL,
                () -> Registration.ofDmaBuf(memory, descriptor, offset, length, AccessFlags.of(attributes.access())),
                (registration, hold) -> new CoreMemoryRegion(memory, offset, length, attributes, registration, hold));
    }

    /** Registers memory, and makes its object. If memory runs out for the object, the registration ends. */
    private static CoreMemoryRegion make(DomainMemory memory, MemorySegment segment, Supplier<MemorySegment> registering,
            BiFunction<MemorySegment, ArenaHold, CoreMemoryRegion> making) {
        try (Rollback undo = new Rollback()) {
            long begin = FlightEvents.isTimingRegistrations() ? System.nanoTime() : 0;
            ArenaHold hold = ArenaHold.of(segment);
            undo.add(hold::release);
            MemorySegment registration = registering.get();
            undo.add(() -> Calls.DEREG_MR.attempt(registration));
            CoreMemoryRegion region = making.apply(registration, hold);
            memory.byKey().add(region);
            undo.commit();
            if (begin != 0) {
                FlightEvents.onRegistered(region.remoteKey(), region.length(), System.nanoTime() - begin);
            }
            return region;
        }
    }

    void onInvalidated() {
        valid = false;
    }

    /** The address of libibverbs' struct of it. */
    public long nativeAddress() {
        return registration.address();
    }

    /** How much memory the system has pinned for it, in bytes: whole pages. That of another device has no address here. */
    long pinnedBytes() {
        if (segment().address() == 0 || (accessFlags() & AccessFlags.ON_DEMAND) != 0) {
            return 0;
        }
        return Registration.wholePages(segment().address(), length(), NativeMemory.PAGE);
    }

    /** A window is bound to it. */
    void binds(CoreMemoryWindow window) {
        windows.add(window);
    }

    void forget(CoreMemoryWindow window) {
        windows.remove(window);
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Its {@code ibv_mr}. */
    public synchronized MemorySegment registration() {
        if (closed) {
            throw new ClosedException("the memory region is closed");
        }
        return registration;
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
            long begin = FlightEvents.isTimingRegistrations() ? System.nanoTime() : 0;
            valid = false;
            memory.byKey().remove(this);
            deregister();
            closed = true;
            if (begin != 0) {
                FlightEvents.onDeregistered(remoteKey(), length(), System.nanoTime() - begin);
            }
        }
        hold.release();
        memory.regions().remove(this);
    }

    private void deregister() {
        int error = Calls.DEREG_MR.attempt(registration);
        if (error != 0) {
            // As long as a window is bound to it, devices refuse.
            windows.forEach(CoreMemoryWindow::close);
            error = Calls.DEREG_MR.attempt(registration);
        }
        // The kernel answers EIO after it has taken the device away, and its registrations with it.
        if (error != 0 && !(error == Libc.EIO() && memory.hasDeviceFailed())) {
            throw Calls.DEREG_MR.failure("end the registration of " + length() + " bytes on " + memory.device().name()
                    + ", which therefore stays, and keeps the arena of its memory open", error);
        }
    }
}

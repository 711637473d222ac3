package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;

/** A protection domain. */
final class CoreProtectionDomain implements ProtectionDomain {
    /** Never started: memory that it may not use belongs to a confined arena. */
    private static final Thread ANOTHER_THREAD = Thread.ofPlatform().unstarted(() -> {
    });

    private final CoreDevice device;
    private final MemorySegment address;
    private final Children regions = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");

    CoreProtectionDomain(CoreDevice device) {
        this.device = device;
        this.address = Calls.ALLOC_PD.object("allocate a protection domain on " + device.name(), device.context());
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    MemorySegment address() {
        return address;
    }

    Children regions() {
        return regions;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Access... access) {
        regions.check();
        int rights = Access.bits(access);
        check(segment, rights);
        return device.creating(() -> {
            regions.check();
            return CoreDevice.adopt(regions, new CoreMemoryRegion(this, segment, rights));
        });
    }

    private static void check(MemorySegment segment, int rights) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, since the garbage collector may move it: "
                    + "allocate it in an Arena (shared, automatic or global), or map a file");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment (" + segment.byteSize() + " bytes) is closed");
        }
        if (!segment.isAccessibleBy(ANOTHER_THREAD)) {
            throw new IllegalArgumentException("a segment of a confined arena cannot be registered, since the device moves its bytes "
                    + "behind its thread's back: use a shared, automatic or global arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("a region has 1 byte or more; the segment has none");
        }
        boolean writes = (rights & (Access.LOCAL_WRITE.bit() | Access.REMOTE_WRITE.bit())) != 0;
        if (writes && segment.isReadOnly()) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE or REMOTE_WRITE");
        }
        if ((rights & Access.REMOTE_WRITE.bit()) != 0 && (rights & Access.LOCAL_WRITE.bit()) == 0) {
            throw new IllegalArgumentException("REMOTE_WRITE needs LOCAL_WRITE too");
        }
    }

    @Override
    public void close() {
        queuePairs.close();
        if (regions.close()) {
            device.destroying(() -> Calls.DEALLOC_PD.attempt(address));
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "a protection domain of " + device.name();
    }
}

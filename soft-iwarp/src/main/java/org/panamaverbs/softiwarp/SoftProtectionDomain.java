package org.panamaverbs.softiwarp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.spi.ArenaHold;

/** A protection domain: what memory and queue pairs must share, by identity. */
final class SoftProtectionDomain implements ProtectionDomain {
    /** Never started: memory that it may not use belongs to a confined arena. */
    private static final Thread ANOTHER_THREAD = Thread.ofPlatform().unstarted(() -> {
    });

    private final SoftDevice device;
    private final Children regions = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");

    SoftProtectionDomain(SoftDevice device) {
        this.device = device;
    }

    @Override
    public SoftDevice device() {
        return device;
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
        ArenaHold hold = ArenaHold.of(segment);
        RegisteredMemory memory = new RegisteredMemory(segment, this, rights);
        if (!device.table().add(memory)) {
            hold.release();
            throw new ResourceException("device " + device.name() + " has " + SoftDevice.MAXIMUM_REGIONS
                    + " memory regions, its maximum: close some, or register larger ones");
        }
        SoftMemoryRegion region = new SoftMemoryRegion(this, memory, hold);
        try {
            regions.add(region);
        } catch (RuntimeException e) {
            region.close();
            throw e;
        }
        return region;
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
            throw new IllegalArgumentException("a segment of a confined arena cannot be registered, since other threads move its bytes: "
                    + "use a shared, automatic or global arena");
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
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "a protection domain of " + ((Device) device).name();
    }
}

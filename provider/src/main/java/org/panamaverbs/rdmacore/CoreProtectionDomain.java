package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.spi.Registrable;

/** A protection domain. */
final class CoreProtectionDomain implements ProtectionDomain, OfDevice {
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
        Registrable.check(segment, rights);
        return device.creating(() -> {
            regions.check();
            return CoreDevice.adopt(regions, new CoreMemoryRegion(this, segment, rights));
        });
    }

    @Override
    public void onDeviceFailure(DeviceFailure failure) {
        queuePairs.each(each -> {
            if (each instanceof Completing queuePair) {
                queuePair.fail(failure.exception());
            }
        });
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

package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;

/** A domain that keeps what was registered. */
final class FakeDomain implements ProtectionDomain {
    final List<FakeRegion> regions = new ArrayList<>();
    private final Device device;

    FakeDomain(Device device) {
        this.device = device;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes) {
        FakeRegion region = new FakeRegion(this, segment, attributes, regions.size() + 1);
        regions.add(region);
        return region;
    }

    @Override
    public void close() {
        regions.forEach(region -> region.closed = true);
    }
}

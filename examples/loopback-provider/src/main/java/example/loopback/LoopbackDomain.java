package example.loopback;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.Registrable;

/** A protection domain. */
final class LoopbackDomain implements ProtectionDomain {
    final LoopbackDevice device;
    final Children children;
    private final int number;

    LoopbackDomain(LoopbackDevice device) {
        this.device = device;
        this.number = device.nextDomainNumber();
        this.children = new Children("a protection domain of " + device.name());
        device.children.add(this);
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes) {
        Registrable.check(this, segment, attributes);
        return LoopbackRegion.register(this, segment, attributes);
    }

    @Override
    public String toString() {
        return "protection domain " + number + " of " + device.name();
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                device.children.remove(this);
            }
        }
    }
}

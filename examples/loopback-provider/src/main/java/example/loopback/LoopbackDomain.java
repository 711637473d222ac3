package example.loopback;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.spi.Registrable;

/** A protection domain. */
final class LoopbackDomain implements ProtectionDomain {
    final LoopbackDevice device;
    final Lifetime lifetime;

    LoopbackDomain(LoopbackDevice device) {
        this.device = device;
        this.lifetime = new Lifetime("a protection domain of " + device.name(), () -> {
        }, device.lifetime);
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes) {
        Registrable.check(this, segment, attributes);
        return new LoopbackRegion(this, segment, attributes.access());
    }

    @Override
    public void close() {
        lifetime.close();
    }
}

package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.spi.AbstractMemoryRegion;

/** A region without a device. Its device may refuse to end it. */
final class FakeRegion extends AbstractMemoryRegion {
    final RegistrationAttributes attributes;
    boolean refuses;
    boolean closed;

    FakeRegion(ProtectionDomain domain, MemorySegment segment, RegistrationAttributes attributes, int key) {
        super(domain, segment, attributes, key, key);
        this.attributes = attributes;
    }

    @Override
    public boolean isValid() {
        return !closed;
    }

    @Override
    public void close() {
        if (refuses) {
            throw new ResourceException("the device does not end the registration");
        }
        closed = true;
    }
}

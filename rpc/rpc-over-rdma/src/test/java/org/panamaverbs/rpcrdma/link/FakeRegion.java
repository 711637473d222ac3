package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.ResourceException;

/** A region without a device. Its device may refuse to end it. */
final class FakeRegion implements MemoryRegion {
    final RegistrationAttributes attributes;
    boolean refuses;
    boolean closed;
    private final ProtectionDomain domain;
    private final MemorySegment segment;
    private final int key;

    FakeRegion(ProtectionDomain domain, MemorySegment segment, RegistrationAttributes attributes, int key) {
        this.domain = domain;
        this.segment = segment;
        this.attributes = attributes;
        this.key = key;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return segment.address();
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public int localKey() {
        return key;
    }

    @Override
    public int remoteKey() {
        return key;
    }

    @Override
    public int access() {
        return attributes.access();
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

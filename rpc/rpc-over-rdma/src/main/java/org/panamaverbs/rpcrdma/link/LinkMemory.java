package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.spi.support.Rollback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registered memory of a link, in a protection domain of its own, so that no other peer can use its keys. */
// Tested by VerbsLinkTest, RoundTripTest.
final class LinkMemory {
    private static final Logger LOG = LoggerFactory.getLogger(LinkMemory.class);

    private final KeptRegistrations kept;
    private final ProtectionDomain domain;
    private final MessageMemory messages;
    private final MessageBuffers buffers;

    /** Allocates the memory of Sends and receives. */
    LinkMemory(Device device, LinkOptions options, KeptRegistrations kept) {
        this.kept = kept;
        try (Rollback undo = new Rollback()) {
            domain = device.allocateProtectionDomain();
            undo.add(domain::close);
            messages = new MessageMemory(domain, options);
            undo.add(messages::free);
            undo.add(messages::deregister);
            buffers = new MessageBuffers(domain);
            undo.commit();
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** {@return the memory of Sends and receives} */
    MessageMemory messages() {
        return messages;
    }

    /** {@return the memory of longer messages} */
    MessageBuffers buffers() {
        return buffers;
    }

    /** {@return memory of the program that Writes read from} */
    SourceMemory source(MemorySegment memory) {
        SourceMemory registered = kept.find(domain, memory);
        if (registered != null) {
            return registered;
        }
        MemoryRegion region = domain.register(memory);
        return new SourceMemory(region, memory, region::close);
    }

    /** Gives all back: nothing that was posted uses it any more. */
    void release() {
        kept.forget(domain);
        buffers.close();
        messages.deregister();
        domain.close();
        try {
            messages.free();
        } catch (IllegalStateException e) {
            LOG.debug("memory of a connection is still in use: {}", e.getMessage());
        }
    }
}

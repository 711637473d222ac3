package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;

class LinkMemoryTest {
    private static final LinkOptions OPTIONS = new LinkOptions(4096, 4096, 8, 8, false, null);

    /** A service meets this for each peer that connects while the process may pin no more memory. */
    @Test
    void shouldKeepNothingIfItsMessagesCannotBeRegistered() {
        List<MemorySegment> refused = new ArrayList<>();
        AtomicBoolean closed = new AtomicBoolean();
        ProtectionDomain domain = Fakes.of(ProtectionDomain.class, (method, arguments) -> {
            switch (method) {
                case "register" -> {
                    refused.add((MemorySegment) arguments[0]);
                    throw new ResourceException("no more memory can be pinned");
                }
                case "close" -> closed.set(true);
                default -> throw new AssertionError(method);
            }
            return null;
        });
        Device device = Fakes.of(Device.class, (method, arguments) -> {
            assertEquals("allocateProtectionDomain", method);
            return domain;
        });
        assertThrows(ResourceException.class, () -> new LinkMemory(device, OPTIONS, new KeptRegistrations()));
        assertTrue(closed.get(), "the domain stays");
        assertFalse(refused.getFirst().scope().isAlive(), "the memory stays");
    }
}

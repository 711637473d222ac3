package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.Verbs;

/** Receives that are longer than any message: a device is told lengths in 32 bits. */
class LongReceiveFaultsTest extends OnStubDevice {
    private static final long LONGEST = 1L << 31;
    private static final long FOUR_GIB = 1L << 32;

    private Verbs verbs;
    private CoreProtectionDomain domain;
    private MemoryRegion region;
    private QueuePair queuePair;

    @BeforeEach
    @SuppressWarnings("restricted") // nobody touches this memory, and there is none
    void connect() {
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(8);
        region = domain.register(MemorySegment.ofAddress(0x10000).reinterpret(3 * FOUR_GIB), Access.LOCAL_WRITE);
        queuePair = connect(domain, QueuePairAttributes.of(queue).withElements(4, 4)).queuePair();
    }

    @AfterEach
    void closeAll() {
        verbs.close();
    }

    private void refuses(ReceiveQueue receives) {
        for (long length : new long[] { FOUR_GIB, FOUR_GIB + 64, LONGEST + 1, 3 * FOUR_GIB }) {
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                    () -> receives.tryPost(new ReceiveRequest().receive(1).local(region, 0, length)));
            assertTrue(refused.getMessage().contains(Long.toString(length)), refused::getMessage);
            assertThrows(IllegalArgumentException.class,
                    () -> receives.tryPost(new ReceiveRequest().receive(1).local(new ScatterGatherList(2).add(region, 0, length))));
        }
        assertThrows(IllegalArgumentException.class,
                () -> receives
                        .tryPost(new ReceiveRequest().receive(1).local(new ScatterGatherList(4).add(region, 0, LONGEST).add(region, 0, 1))),
                "together");
        receives.post(new ReceiveRequest().receive(1).local(region, 0, LONGEST));
        assertEquals(LONGEST, StubDevice.lastReceive());
        receives.post(new ReceiveRequest().receive(1).local(new ScatterGatherList(4).add(region, 0, LONGEST - 1).add(region, 0, 1)));
        assertEquals(LONGEST, StubDevice.lastReceive());
    }

    @Test
    void shouldRefuseThemInAQueuePair() {
        refuses(queuePair);
    }

    @Test
    void shouldRefuseThemInASharedReceiveQueue() {
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(8, 4)) {
            refuses(shared);
        }
    }
}

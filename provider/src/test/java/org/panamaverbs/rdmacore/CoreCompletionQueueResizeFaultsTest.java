package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;

/** Completion queues that the device makes larger or smaller, or not. */
class CoreCompletionQueueResizeFaultsTest extends OnStubDevice {
    private final Completions completions = Completions.allocate(16);

    /** libsiw and others have none: libibverbs then answers EOPNOTSUPP. */
    @Test
    void shouldTryWhetherTheDeviceResizes() {
        StubDevice.fail("ibv_resize_cq", Libc.EOPNOTSUPP(), 0);
        try (Verbs verbs = open()) {
            assertFalse(verbs.device("stub0").supports(Capability.RESIZE_COMPLETION_QUEUE));
            CompletionQueue queue = verbs.device("stub0").createCompletionQueue(8);
            UnsupportedVerbException refused = assertThrows(UnsupportedVerbException.class, () -> queue.resize(16));
            assertTrue(refused.getMessage().contains("stub0"), refused::getMessage);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldResizeWithoutLossAndRefuseWhatIsTooSmall(boolean stamped) {
        StubDevice.startClock();
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            assertTrue(device.supports(Capability.RESIZE_COMPLETION_QUEUE));
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = createQueue(device, stamped);
            QueuePair queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            RemoteMemory anywhere = new RemoteMemory(0, 0, Long.MAX_VALUE);
            for (int i = 0; i < 5; i++) {
                queuePair.post(new SendRequest().write(i).local(region, 0, 64).remote(anywhere, 0).signaled());
            }
            long calls = StubDevice.called("ibv_resize_cq");
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> queue.resize(4));
            assertTrue(refused.getMessage().contains("5 completions wait"), refused::getMessage);
            assertEquals(calls, StubDevice.called("ibv_resize_cq"));
            assertEquals(8, queue.capacity());
            queue.resize(5);
            assertEquals(5, queue.capacity());
            queue.resize(32);
            assertEquals(32, queue.capacity());
            queuePair.post(new SendRequest().write(5).local(region, 0, 64).remote(anywhere, 0).signaled());
            for (int i = 0; i < 6; i++) {
                assertTrue(completions.next() || queue.poll(completions) > 0 && completions.next(), "lost " + i);
                assertEquals(i, completions.id());
                assertTrue(completions.isSuccess());
            }
            region.close();
        }
    }

    @Test
    void shouldStayAsItIsIfTheDeviceRefuses() {
        try (Verbs verbs = open()) {
            CompletionQueue queue = verbs.device("stub0").createCompletionQueue(8);
            StubDevice.fail("ibv_resize_cq", Libc.ENOMEM(), 0);
            ResourceException refused = assertThrows(ResourceException.class, () -> queue.resize(16));
            assertTrue(refused.getMessage().contains("8 entries of stub0 to 16"), refused::getMessage);
            assertEquals(8, queue.capacity());
            StubDevice.heal();
            queue.resize(16);
            assertEquals(16, queue.capacity());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldAdmitQueuePairsAsTheDeviceCanResize(boolean canResize) {
        if (!canResize) {
            StubDevice.fail("ibv_resize_cq", Libc.EOPNOTSUPP(), 0);
        }
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            CompletionQueue queue = device.createCompletionQueue(CompletionQueueAttributes.of(8).withAdmission());
            QueuePairAttributes attributes = QueuePairAttributes.of(queue).withDepths(4, 4);
            QueuePair first = connect(domain, attributes).queuePair();
            if (canResize) {
                connect(domain, attributes).close();
                assertEquals(16, queue.capacity());
            } else {
                Connector connector = ConnectionManager.of(device).connector(NOBODY, LIMIT);
                assertThrows(ResourceException.class, () -> connector.createQueuePair(domain, attributes));
                assertEquals(1, StubDevice.live("qp"));
                connector.close();
            }
            for (int i = 0; i < 4; i++) {
                first.post(new ReceiveRequest().receive(i).local(region, 0, 64));
            }
            first.close();
            // Its completions wait beside the device's queue, which has room at once.
            int before = queue.capacity();
            for (int i = 0; i < 5; i++) {
                connect(domain, attributes).close();
            }
            assertEquals(before, queue.capacity());
            assertEquals(4, queue.poll(completions));
            region.close();
        }
    }

    @Test
    void shouldGiveBackTheRoomOfAQueuePairThatCannotBeMade() {
        StubDevice.takeInline(Integer.MAX_VALUE);
        StubDevice.fail("ibv_resize_cq", Libc.EOPNOTSUPP(), 0);
        int most = 1 << 16;
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            CompletionQueue queue = domain.device().createCompletionQueue(CompletionQueueAttributes.of(most).withAdmission());
            QueuePairAttributes attributes = QueuePairAttributes.of(queue).withDepths(most - 1, 1);
            for (int i = 0; i < 3; i++) {
                assertThrows(ResourceException.class, () -> domain.createDatagramQueuePair(attributes.withInline(Integer.MAX_VALUE), 1, 0));
            }
            domain.createDatagramQueuePair(attributes, 1, 0);
            ResourceException refused = assertThrows(ResourceException.class, () -> domain.createDatagramQueuePair(attributes, 1, 0));
            assertTrue(refused.getMessage().contains("of 65536 entries 65536 are taken"), refused::getMessage);
        }
    }
}

package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.cm.CmIdentifier;

/** Objects of the libraries that are made before something else fails. */
class LeakFaultsTest extends OnStubDevice {
    private static final List<String> KINDS = List.of("pd", "mr", "cq", "qp", "srq", "ah", "channel", "id", "event_channel", "list");

    private static void assertNoneLeft() {
        for (String kind : KINDS) {
            assertEquals(0, StubDevice.live(kind), kind);
        }
    }

    /** More memory than there are addresses. */
    private static QueuePairAttributes tooLarge(CompletionQueue queue) {
        return QueuePairAttributes.of(queue).withDepths(1 << 16, 1).withInline(Integer.MAX_VALUE);
    }

    /** Also an OutOfMemoryError, which would end the whole run. */
    private static Throwable thrownBy(Runnable action) {
        try {
            action.run();
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private static void fails(Consumer<ProtectionDomain> maker) {
        StubDevice.takeInline(Integer.MAX_VALUE);
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            Throwable thrown = thrownBy(() -> maker.accept(domain));
            assertEquals(0, StubDevice.live("qp"), () -> "left by " + thrown);
            assertInstanceOf(ResourceException.class, thrown);
            domain.close();
        }
        assertNoneLeft();
    }

    @Test
    void shouldDestroyAQueuePairThatGetsNoMemory() {
        fails(domain -> {
            CompletionQueue queue = domain.device().createCompletionQueue(8);
            try (Connector connector = ConnectionManager.of(domain.device()).connector(NOBODY, LIMIT)) {
                connector.createQueuePair(domain, tooLarge(queue));
            }
        });
    }

    @Test
    void shouldDestroyADatagramQueuePairThatGetsNoMemory() {
        fails(domain -> domain.createDatagramQueuePair(tooLarge(domain.device().createCompletionQueue(8)), 1, 0));
    }

    @Test
    void shouldLetAConnectorTryAgain() {
        StubDevice.takeInline(Integer.MAX_VALUE);
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            CompletionQueue queue = domain.device().createCompletionQueue(8);
            Connector connector = ConnectionManager.of(domain.device()).connector(NOBODY, LIMIT);
            assertNotNull(thrownBy(() -> connector.createQueuePair(domain, tooLarge(queue))));
            connector.createQueuePair(domain, QueuePairAttributes.of(queue));
        }
        assertNoneLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = { "ibv_query_device", "rdma_create_event_channel", "rdma_get_devices" })
    void shouldGiveAllBackOfASessionThatCannotBeOpened(String call) {
        open().close();
        // Each of two availability checks makes an event channel and lists the devices, before the session does.
        int skip = call.equals("rdma_create_event_channel") || call.equals("rdma_get_devices") ? 2 : 0;
        StubDevice.fail(call, StubDevice.BY_ERRNO, Libc.EIO(), skip, -1);
        assertThrows(VerbsException.class, OnStubDevice::open);
        assertNoneLeft();
    }

    @Test
    void shouldGiveAllBackIfTheSecondDeviceFails() {
        StubDevice.addSecond(true);
        // Both are asked for their order, and the first is opened.
        StubDevice.fail("ibv_query_device", Libc.EIO(), 0, 3, -1);
        assertThrows(VerbsException.class, OnStubDevice::open);
        assertNoneLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = { "ibv_reg_mr", "ibv_alloc_pd", "ibv_create_comp_channel", "ibv_create_cq", "ibv_create_qp", "ibv_create_srq",
            "ibv_create_ah", "rdma_create_id", "rdma_resolve_addr", "rdma_resolve_route", "rdma_create_qp_ex", "rdma_connect",
            "ibv_modify_qp", "rdma_bind_addr", "rdma_listen", "ibv_query_port" })
    void shouldLeakNothingWhateverFails(String call) {
        StubDevice.setIdentifier(0, new GlobalIdentifier(0, 0xFFFF_C000_0201L));
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            StubDevice.fail(call, Libc.EIO(), Libc.EIO());
            attempt(() -> device.createCompletionQueue(8));
            attempt(() -> ConnectionManager.of(device).listen(NOBODY, 1));
            attempt(() -> ConnectionManager.of(device).connector(NOBODY, LIMIT));
            attempt(() -> {
                CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
                attempt(() -> domain.createSharedReceiveQueue(1, 1));
                CompletionQueue queue = device.createCompletionQueue(8);
                attempt(() -> domain.createDatagramQueuePair(QueuePairAttributes.of(queue), 1, 0));
                attempt(() -> {
                    AddressedQueuePair pair = domain.createQueuePair(QueuePairAttributes.of(queue), new QueuePairPort(1, 1, 0), Set.of());
                    pair.connectTo(pair.address());
                });
                attempt(() -> connect(domain, QueuePairAttributes.of(queue)));
            });
            StubDevice.heal();
        }
        assertNoneLeft();
    }

    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (VerbsException expected) {
            // It fails, or not.
        }
    }

    @Test
    void shouldDropARequestWhoseListenerIsGone() {
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CmIdentifier listener = CmIdentifier.create(device.reader());
            MemorySegment address = listener.address();
            device.reader().remove(listener);
            StubDevice.raiseRequest(address);
            await("it is destroyed", () -> StubDevice.called("rdma_destroy_id") == 1);
            listener.destroy();
        }
        assertNoneLeft();
    }
}

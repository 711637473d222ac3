package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.event.LiveObjects;

/** Events that cannot be handled: they are acknowledged, and the thread goes on. The wrappers of jextract throw Errors. */
class EventReaderFaultsTest extends OnStubDevice {
    private final AtomicInteger thrown = new AtomicInteger();
    private Verbs verbs;
    private CoreDevice device;

    @BeforeEach
    void openDevice() {
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
    }

    @AfterEach
    void closeAll() {
        verbs.close();
    }

    private void assertGoesOn() {
        await("the event was handled", () -> thrown.get() > 0);
        await("it was acknowledged", () -> StubDevice.live("event") == 0);
        // Needs the thread: two events have to be told.
        ConnectionManager.of(device).connector(NOBODY, LIMIT).close();
    }

    @Test
    void shouldSurviveAnErrorOfAnAsynchronousEvent() {
        MemorySegment place = MemorySegment.ofAddress(0x1000);
        EventSource faulty = new EventSource() {
            @Override
            public CoreDevice device() {
                return device;
            }

            @Override
            public void onAsynchronous(AsynchronousEvent.Type type) {
                thrown.incrementAndGet();
                throw new AssertionError("a fault of this test");
            }
        };
        LiveObjects.add(place, faulty);
        try {
            StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_FATAL(), place.address());
            assertGoesOn();
        } finally {
            LiveObjects.remove(place, faulty);
        }
    }

    @Test
    void shouldSurviveAnErrorOfAConnectionEvent() {
        CmIdentifier identifier = CmIdentifier.create(device.reader());
        Consumer<CmEvent> faulty = _ -> {
            thrown.incrementAndGet();
            throw new AssertionError("a fault of this test");
        };
        identifier.onRequests(faulty, faulty);
        StubDevice.raiseConnection(identifier.address(), Rdma.RDMA_CM_EVENT_CONNECT_ERROR(), 0);
        assertGoesOn();
        identifier.destroy();
    }

    @Test
    void shouldSurviveAnErrorWhileAQueuePairEnds() {
        device.reader().drainLater(() -> {
            if (thrown.incrementAndGet() < 3) {
                throw new AssertionError("a fault of this test");
            }
            return true;
        });
        assertGoesOn();
        await("it is asked again", () -> thrown.get() == 3);
    }

    @Test
    void shouldTakeAConnectionEventThatHasNoName() {
        CmIdentifier identifier = CmIdentifier.create(device.reader());
        StubDevice.raiseConnection(identifier.address(), 4096, 0);
        await("it is acknowledged", () -> StubDevice.called("rdma_ack_cm_event") > 0);
        assertTrue(identifier.hasEvents());
        identifier.destroy();
        assertEquals(0, StubDevice.live("event"));
    }

    @Test
    void shouldTakeEventsOfEveryKind() {
        for (int type = 0; type <= Rdma.IBV_EVENT_WQ_FATAL() + 1; type++) {
            if (type != Rdma.IBV_EVENT_DEVICE_FATAL()) {
                StubDevice.raiseAsynchronous(type, 1);
            }
        }
        CmIdentifier identifier = CmIdentifier.create(device.reader());
        for (int type = 0; type <= Rdma.RDMA_CM_EVENT_TIMEWAIT_EXIT() + 1; type++) {
            // A request brings an identifier of its own.
            if (type != Rdma.RDMA_CM_EVENT_DEVICE_REMOVAL() && type != Rdma.RDMA_CM_EVENT_CONNECT_REQUEST()) {
                StubDevice.raiseConnection(identifier.address(), type, -1);
            }
        }
        thrown.incrementAndGet();
        assertGoesOn();
        identifier.destroy();
    }
}

package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;

/**
 * Events that cannot be handled: they are acknowledged, the whole session fails, and the thread goes on. The wrappers of jextract throw Errors.
 */
class EventReaderFaultsTest extends OnStubDevice {
    private final AtomicInteger thrown = new AtomicInteger();
    private Verbs verbs;
    private CoreDevice device;
    private AsynchronousEvents events;
    private Listener ofDevice;
    private Listener ofSession;

    @BeforeEach
    void openDevice() {
        verbs = open();
        device = (CoreDevice) verbs.device("stub0");
        events = device.asynchronousEvents();
        ofDevice = ConnectionManager.of(device).listen(NOBODY, 1);
        ofSession = ConnectionManager.of(verbs).listen(NOBODY, 1);
    }

    @AfterEach
    void closeAll() {
        verbs.close();
    }

    private void assertGoesOn() {
        await("the event was handled", () -> thrown.get() > 0);
        await("it was acknowledged", () -> StubDevice.live("event") == 0);
        // Needs the thread, which notifies the connector of two events.
        ConnectionManager.of(device).connector(NOBODY, LIMIT).close();
    }

    private void assertSessionFails() {
        assertEquals(AsynchronousEvent.Type.DEVICE_FATAL, events.await(LIMIT).type());
        for (Listener each : List.of(ofDevice, ofSession)) {
            SystemException failure = assertThrows(SystemException.class, () -> each.awaitRequest(LIMIT));
            assertTrue(failure.getMessage().contains("as a test wants"), failure.getMessage());
        }
        assertGoesOn();
        assertThrows(VerbsTimeoutException.class, () -> events.await(Duration.ofMillis(20)), "the failure is published once");
    }

    @Test
    void shouldFailTheSessionAfterAnErrorOfAnAsynchronousEvent() {
        MemorySegment place = MemorySegment.ofAddress(0x1000);
        EventSource faulty = new EventSource() {
            @Override
            public CoreDevice device() {
                return device;
            }

            @Override
            public AsynchronousEvent.Source verbsObject() {
                return device;
            }

            @Override
            public void onAsynchronous(AsynchronousEvent.Type type) {
                thrown.incrementAndGet();
                throw new OutOfMemoryError("as a test wants");
            }
        };
        LiveObjects.add(place, faulty);
        try {
            StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_QP_FATAL(), place.address());
            // The event itself.
            assertEquals(AsynchronousEvent.Type.QUEUE_PAIR_FATAL, events.await(LIMIT).type());
            assertSessionFails();
        } finally {
            LiveObjects.remove(place, faulty);
        }
    }

    @Test
    void shouldFailTheSessionAfterAnErrorOfAConnectionEvent() {
        CmIdentifier identifier = CmIdentifier.create(device.reader());
        Consumer<CmEvent> faulty = _ -> {
            thrown.incrementAndGet();
            throw new OutOfMemoryError("as a test wants");
        };
        identifier.onRequests(faulty, faulty);
        StubDevice.raiseConnection(identifier.address(), Rdma.RDMA_CM_EVENT_CONNECT_ERROR(), 0);
        assertSessionFails();
        identifier.destroy();
    }

    @Test
    void shouldFailTheSessionIfTheEndOfAQueuePairFails() {
        AtomicInteger others = new AtomicInteger();
        AtomicBoolean mayEnd = new AtomicBoolean();
        device.reader().drainLater(() -> {
            thrown.incrementAndGet();
            if (!mayEnd.get()) {
                throw new OutOfMemoryError("as a test wants");
            }
            return true;
        });
        device.reader().drainLater(() -> others.incrementAndGet() == 3);
        assertSessionFails();
        await("the queue pair behind it ends", () -> others.get() == 3);
        mayEnd.set(true);
        int before = thrown.get();
        await("it is asked again", () -> thrown.get() > before);
    }

    /** An object that cannot take the news of the failure, for the reason that brought the failure. */
    private final class Scarce implements AutoCloseable, DeviceFailureListener {
        private int left;

        Scarce(int left) {
            this.left = left;
        }

        @Override
        public void onDeviceFailure(DeviceFailure failure) {
            if (left-- > 0) {
                thrown.incrementAndGet();
                throw new OutOfMemoryError("as a test wants");
            }
        }

        @Override
        public void close() {
            device.children().remove(this);
        }
    }

    @Test
    void shouldFailTheSessionAsSoonAsThereIsMemoryForThat() {
        device.children().add(new Scarce(3));
        Listener last = ConnectionManager.of(device).listen(NOBODY, 1);
        device.reader().drainLater(() -> {
            if (thrown.get() == 0) {
                throw new OutOfMemoryError("as a test wants");
            }
            return true;
        });
        assertThrows(SystemException.class, () -> last.awaitRequest(LIMIT));
        assertSessionFails();
        assertEquals(3, thrown.get());
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
        assertTrue(device.attributes().active(), "the session has not failed");
        identifier.destroy();
    }
}

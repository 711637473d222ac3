package org.panamaverbs.rdmacore.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rdmacore.event.CmEvent;
import org.panamaverbs.rdmacore.ffi.NeedsLibraries;

class CmFailuresTest implements NeedsLibraries {
    private static final InetSocketAddress REMOTE = new InetSocketAddress("192.0.2.9", 7471);

    private static VerbsException failure(int type, int status) {
        return CmFailures.of(new CmEvent(type, status, MemorySegment.NULL, MemorySegment.NULL, new byte[0], 0, 0), REMOTE,
                "connect to " + REMOTE);
    }

    @Test
    void shouldNameAnEventThatWasNotExpected() {
        for (int type : new int[] { Rdma.RDMA_CM_EVENT_MULTICAST_ERROR(), Rdma.RDMA_CM_EVENT_ADDR_RESOLVED() }) {
            String message = failure(type, 0).getMessage();
            assertTrue(message.contains("192.0.2.9") && message.contains("does not belong"), message);
            assertTrue(message.contains("RDMA_CM_EVENT_MULTICAST_ERROR") || message.contains("RDMA_CM_EVENT_ADDR_RESOLVED"), message);
        }
        assertTrue(failure(99, 0).getMessage().contains("event 99"), "one that has no name yet");
    }

    @Test
    void shouldNameTheAddressOnce() {
        for (int type : new int[] { Rdma.RDMA_CM_EVENT_UNREACHABLE(), Rdma.RDMA_CM_EVENT_CONNECT_ERROR(), Rdma.RDMA_CM_EVENT_DISCONNECTED(),
                Rdma.RDMA_CM_EVENT_ADDR_ERROR(), Rdma.RDMA_CM_EVENT_REJECTED() }) {
            for (int status : new int[] { 0, -Libc.ETIMEDOUT(), 4, 8, 28 }) {
                String message = failure(type, status).getMessage();
                int first = message.indexOf("192.0.2.9");
                assertTrue(first >= 0, message);
                assertEquals(first, message.lastIndexOf("192.0.2.9"), message);
            }
        }
    }

    @Test
    void shouldSayInOneSentenceThatNoProgramListens() {
        SystemException refused = assertInstanceOf(SystemException.class, failure(Rdma.RDMA_CM_EVENT_REJECTED(), 8));
        assertEquals(Libc.ECONNREFUSED(), refused.errorNumber());
        assertEquals(Route.text(REMOTE) + " refuses connections: is a server running there? (ECONNREFUSED)", refused.getMessage());
    }

    @Test
    void shouldSayThatTheDeviceIsGone() {
        SystemException gone = assertInstanceOf(SystemException.class, failure(Rdma.RDMA_CM_EVENT_DEVICE_REMOVAL(), 0));
        assertEquals(Libc.ENODEV(), gone.errorNumber());
        assertTrue(gone.getMessage().contains("RDMA_CM_EVENT_DEVICE_REMOVAL") && gone.getMessage().contains("close everything"),
                gone::getMessage);
    }

    @Test
    void shouldKnowEveryEventByItsName() {
        assertEquals("RDMA_CM_EVENT_TIMEWAIT_EXIT", name(Rdma.RDMA_CM_EVENT_TIMEWAIT_EXIT()));
        assertEquals("RDMA_CM_EVENT_ADDR_RESOLVED", name(Rdma.RDMA_CM_EVENT_ADDR_RESOLVED()));
        assertEquals("RDMA_CM_EVENT_DISCONNECTED", name(Rdma.RDMA_CM_EVENT_DISCONNECTED()));
        assertEquals("RDMA_CM_EVENT_MULTICAST_JOIN", name(Rdma.RDMA_CM_EVENT_MULTICAST_JOIN()));
    }

    private static String name(int type) {
        return new CmEvent(type, 0, MemorySegment.NULL, MemorySegment.NULL, new byte[0], 0, 0).name();
    }
}

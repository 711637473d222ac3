package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Device;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.endpoint.Link.Exposure;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.testing.conformance.Requirement;

/** A link on a device that can refuse. */
class VerbsLinkTest {
    private static final long SECONDS = 60;
    private final MemorySegment memory = Arena.ofAuto().allocate(100, 8);
    private final List<FakeDomain> domains = new ArrayList<>();
    /** What happened, in its order. */
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Device device = Fakes.of(Device.class, this::ofDevice);
    private Reactor reactor;
    private VerbsLink link;

    private Object ofDevice(String method, Object[] arguments) {
        return switch (method) {
            case "attributes" -> (DeviceAttributes) () -> Transport.OTHER;
            case "createCompletionQueue" -> new FakeCompletionQueue(device());
            case "supports" -> false;
            case "allocateProtectionDomain" -> {
                domains.add(new FakeDomain(device()));
                yield domains.getLast();
            }
            default -> throw new AssertionError(method);
        };
    }

    private Device device() {
        return device;
    }

    @BeforeEach
    void open() {
        reactor = new Reactor(device, 200, "reactor of a test");
        EndpointOptions endpoint = new EndpointOptions(true, 1, 1, 4, 0, 1 << 20, 16, 4, 4, 4096);
        LinkOptions options = new LinkOptions(4096, 4096, 4, 4, false, endpoint);
        assertTrue(reactor.enter());
        link = new VerbsLink(reactor, options, new KeptRegistrations(), (xid, message) -> {
            throw new AssertionError("a call");
        }, Seat.alone(1 << 20));
        link.begin(Fakes.queuePair(this::ofQueuePair));
    }

    private Object ofQueuePair(String method, Object[] arguments) {
        return switch (method) {
            case "tryPost" -> true;
            case "close" -> {
                events.add("queue pair closed");
                yield null;
            }
            default -> throw new AssertionError(method);
        };
    }

    @AfterEach
    void close() {
        link.close();
        reactor.close();
    }

    private List<Exposure> expose(boolean refuses) {
        List<Exposure> exposed = List.of(link.expose(memory, true));
        domains.getFirst().regions.getLast().refuses = refuses;
        return exposed;
    }

    private void revoke(List<Exposure> exposures) {
        link.revoke(exposures, false, 0, success -> events.add("revoked: " + success));
    }

    private String event() throws InterruptedException {
        return events.poll(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shouldCloseMemoryBeforeItsCallerHears() throws Exception {
        List<Exposure> exposed = expose(false);
        FakeRegion region = domains.getFirst().regions.getLast();
        link.revoke(exposed, false, 0, success -> events.add("revoked: " + success + ", closed: " + region.closed));
        assertEquals("revoked: true, closed: true", event());
        assertTrue(link.endpoint().isOpen());
    }

    @Test
    @Requirement("RFC8166-4.5.4-a")
    void shouldCloseTheQueuePairBeforeTheCallerHearsIfMemoryCannotBeClosed() throws Exception {
        revoke(expose(true));
        assertEquals("queue pair closed", event());
        assertEquals("revoked: false", event());
    }

    @Test
    void shouldTellEachCallerIfMemoryCannotBeClosed() throws Exception {
        revoke(expose(true));
        revoke(expose(true));
        assertEquals("queue pair closed", event());
        assertEquals("revoked: false", event());
        assertEquals("revoked: false", event());
        assertFalse(link.endpoint().isOpen());
        // The queue pair is closed already.
        revoke(expose(true));
        assertEquals("revoked: false", event());
    }
}

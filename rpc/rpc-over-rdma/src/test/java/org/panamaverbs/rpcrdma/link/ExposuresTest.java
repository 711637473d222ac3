package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.QueuePair;
import org.panamaverbs.rpcrdma.endpoint.Link.Done;
import org.panamaverbs.rpcrdma.endpoint.Link.Exposure;
import org.panamaverbs.rpcrdma.link.LinkState.Event;

class ExposuresTest {
    private final LinkLife life = new LinkLife();
    private final FakeDomain domain = new FakeDomain(null);
    private final MemorySegment memory = Arena.ofAuto().allocate(100, 8);
    private final QueuePair pair = Fakes.queuePair((method, arguments) -> {
        throw new AssertionError(method);
    });

    @Test
    void shouldOpenMemoryForWritingAlone() {
        Exposure exposure = new Exposures(life, domain, false).expose(memory, true, pair);
        FakeRegion region = domain.regions.getFirst();
        assertEquals(Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE), region.access());
        assertEquals(region.remoteKey(), exposure.handle());
        assertEquals(memory.address(), exposure.offset());
        assertFalse(exposure.canBeInvalidated());
        assertNull(region.attributes.invalidator());
    }

    @Test
    void shouldOpenMemoryForReadingAlone() {
        new Exposures(life, domain, false).expose(memory, false, pair);
        assertEquals(Set.of(Access.REMOTE_READ), domain.regions.getFirst().access());
    }

    @Test
    void shouldLetThePeerOfItsQueuePairInvalidate() {
        Exposure exposure = new Exposures(life, domain, true).expose(memory, true, pair);
        assertTrue(exposure.canBeInvalidated());
        assertSame(pair, domain.regions.getFirst().attributes.invalidator());
    }

    @Test
    void shouldCloseEachExposure() {
        Exposures exposures = new Exposures(life, domain, false);
        List<Exposure> open = List.of(exposures.expose(memory, true, pair), exposures.expose(memory, false, pair));
        assertNull(exposures.revoke(open.subList(0, 1)));
        assertEquals(List.of(true, false), domain.regions.stream().map(region -> region.closed).toList());
        assertNull(exposures.revoke(open.subList(1, 2)));
        assertTrue(domain.regions.get(1).closed);
    }

    @Test
    void shouldCloseTheOthersIfOneCannotBeClosed() {
        Exposures exposures = new Exposures(life, domain, false);
        List<Exposure> open = List.of(exposures.expose(memory, true, pair), exposures.expose(memory, true, pair));
        domain.regions.getFirst().refuses = true;
        assertEquals("the device does not end the registration", exposures.revoke(open));
        assertTrue(domain.regions.get(1).closed);
    }

    @Test
    void shouldHaveCallersWaitUntilTheLinkIsDetached() {
        Exposures exposures = new Exposures(life, domain, false);
        Done first = success -> {
            // Only its identity counts.
        };
        assertTrue(exposures.awaitDetached(first));
        life.change(Event.END, "the end");
        Done second = success -> {
            // Likewise.
        };
        assertTrue(exposures.awaitDetached(second));
        life.change(Event.DETACH, null);
        assertEquals(List.of(first, second), exposures.detached());
        assertFalse(exposures.awaitDetached(first));
        assertEquals(List.of(), exposures.detached());
    }
}

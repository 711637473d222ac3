package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connector;

/** Receives that several queue pairs of the server share. */
public abstract class SharedReceiveQueueContract extends ContractTest {
    private static final int LENGTH = 64;

    private SharedReceiveQueue shared(int depth, int elements) {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        return server.domain.createSharedReceiveQueue(depth, elements);
    }

    /** Connections whose ends at the server take from one queue, and complete in one. */
    private List<Link> links(int count, SharedReceiveQueue shared, CompletionQueue receives) {
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            links.add(dialer().serverQueues(server.queue(64), receives)
                    .serverAttributes(attributes -> attributes.withSharedReceiveQueue(shared)).connect());
        }
        return links;
    }

    private Link link(SharedReceiveQueue shared) {
        return links(1, shared, server.queue(256)).getFirst();
    }

    private static void post(SharedReceiveQueue shared, MemoryRegion region, int place) {
        shared.post(new ReceiveRequest().receive(place).local(region, (long) place * LENGTH, LENGTH));
    }

    @Test
    void shouldRefuseWhereTheDeviceHasNone() {
        assertRefuses(server.device, Capability.SHARED_RECEIVE_QUEUE, () -> server.domain.createSharedReceiveQueue(8, 1));
    }

    @Test
    void shouldGiveEachMessageAReceiveOfItsOwn() {
        SharedReceiveQueue shared = shared(16, 1);
        assertTrue(shared.depth() >= 16 && shared.elements() >= 1, shared::toString);
        assertSame(server.domain, shared.domain());
        List<Link> links = links(3, shared, server.queue(256));
        MemoryRegion to = server.region(9 * LENGTH);
        MemoryRegion from = client.region(3 * LENGTH);
        for (int i = 0; i < 9; i++) {
            post(shared, to, i);
        }
        for (int i = 0; i < 3; i++) {
            Pattern.fill(from.segment(), i * LENGTH, LENGTH, i);
        }
        Set<Long> seen = new HashSet<>();
        for (int message = 0; message < 9; message++) {
            Link link = links.get(message % 3);
            link.client().send(message, from, message % 3 * LENGTH, LENGTH);
            link.client().sent.next().succeeded(message, CompletionOpcode.SEND);
        }
        for (int message = 0; message < 9; message++) {
            Completed received = links.getFirst().server().received.next();
            assertTrue(received.id() >= 0 && received.id() < 9 && seen.add(received.id()), received::toString);
            received.received(received.id(), LENGTH);
            int sender = sender(links, received.queuePairNumber());
            Pattern.verify(to.segment(), received.id() * LENGTH, LENGTH, sender);
        }
        links.getFirst().server().received.nothing();
    }

    private static int sender(List<Link> links, int number) {
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i).server().queuePair.number() == number) {
                return i;
            }
        }
        throw new AssertionError("no queue pair has number " + number);
    }

    @Test
    void shouldUseItsPlacesAgainAndAgain() {
        SharedReceiveQueue shared = shared(4, 1);
        List<Link> links = links(2, shared, server.queue(256));
        MemoryRegion to = server.region(4 * LENGTH);
        MemoryRegion from = client.region(LENGTH);
        for (int i = 0; i < 4; i++) {
            post(shared, to, i);
        }
        for (int message = 0; message < 200; message++) {
            Link link = links.get(message % 3 % 2);
            link.client().send(message, from, 0, LENGTH);
            link.client().sent.next().succeeded(message, CompletionOpcode.SEND);
            Completed received = link.server().received.next();
            received.received(received.id(), LENGTH);
            assertEquals(link.server().queuePair.number(), received.queuePairNumber());
            post(shared, to, (int) received.id());
        }
        links.getFirst().server().received.nothing();
    }

    @Test
    void shouldRefuseMoreThanItHoldsUntilOneIsTaken() {
        SharedReceiveQueue shared = shared(8, 1);
        Link link = link(shared);
        MemoryRegion to = server.region(LENGTH);
        MemoryRegion from = client.region(LENGTH);
        int posted = 0;
        while (shared.tryPost(new ReceiveRequest().receive(posted).local(to, 0, LENGTH))) {
            posted++;
        }
        assertEquals(shared.depth(), posted);
        link.client().send(1, from, 0, LENGTH);
        link.server().received.next().received(0, LENGTH);
        shared.post(new ReceiveRequest().receive(posted).local(to, 0, LENGTH));
        assertFalse(shared.tryPost(new ReceiveRequest().receive(posted).local(to, 0, LENGTH)), "it is full again");
    }

    @Test
    void shouldReceiveIntoSeveralParts() {
        SharedReceiveQueue shared = shared(4, 2);
        Link link = link(shared);
        MemoryRegion to = server.region(2 * LENGTH);
        MemoryRegion from = client.region(LENGTH);
        Pattern.fill(from.segment(), 0, LENGTH, 1);
        ScatterGatherList parts = new ScatterGatherList(3).add(to, LENGTH, 16).add(to, 0, LENGTH);
        shared.post(new ReceiveRequest().receive(5).local(parts));
        link.client().send(1, from, 0, LENGTH);
        link.server().received.next().received(5, LENGTH);
        Pattern.verify(to.segment(), LENGTH, 16, 1);
        Pattern.verify(to.segment(), 0, LENGTH - 16, 1, 16);
        ScatterGatherList tooLong = new ScatterGatherList(shared.elements() + 1);
        for (int i = 0; i <= shared.elements(); i++) {
            tooLong.add(to, 0, 1);
        }
        assertThrows(IllegalArgumentException.class, () -> shared.tryPost(new ReceiveRequest().receive(6).local(tooLong)));
    }

    @Test
    void shouldLeaveAQueuePairNoReceivesOfItsOwn() {
        SharedReceiveQueue shared = shared(4, 1);
        Link link = link(shared);
        MemoryRegion to = server.region(LENGTH);
        IllegalStateException refused = assertThrows(IllegalStateException.class,
                () -> link.server().queuePair.tryPost(new ReceiveRequest().receive(1).local(to, 0, LENGTH)));
        assertTrue(refused.getMessage().contains("shared"), refused::getMessage);
        ScatterGatherList parts = new ScatterGatherList(1).add(to, 0, LENGTH);
        assertThrows(IllegalStateException.class, () -> link.server().queuePair.tryPost(new ReceiveRequest().receive(1).local(parts)));
        assertSame(shared, link.server().queuePair.attributes().sharedReceiveQueue());
    }

    @Test
    void shouldKeepTheReceivesThatAQueuePairDidNotTakeWhenItEnds() {
        SharedReceiveQueue shared = shared(4, 1);
        List<Link> links = links(2, shared, server.queue(256));
        Link ending = links.getFirst();
        Link staying = links.getLast();
        MemoryRegion to = server.region(4 * LENGTH);
        MemoryRegion from = client.region(LENGTH);
        for (int i = 0; i < 4; i++) {
            post(shared, to, i);
        }
        ending.client().send(1, from, 0, LENGTH);
        ending.server().received.next().received(0, LENGTH);
        ending.close();
        // Nothing of it is flushed, and the other one takes what is left, in the order posted.
        for (int i = 1; i < 4; i++) {
            staying.client().send(i, from, 0, LENGTH);
            Completed received = staying.server().received.next().received(i, LENGTH);
            assertEquals(staying.server().queuePair.number(), received.queuePairNumber());
        }
        post(shared, to, 0);
        post(shared, to, 1);
        post(shared, to, 2);
        post(shared, to, 3);
        staying.server().received.nothing();
    }

    @Test
    void shouldSurviveTheFailureOfAQueuePair() {
        SharedReceiveQueue shared = shared(4, 1);
        List<Link> links = links(2, shared, server.queue(256));
        MemoryRegion to = server.region(4 * LENGTH);
        MemoryRegion from = client.region(4 * LENGTH);
        post(shared, to, 0);
        // Too long for the receive: it fails, and its connection with it.
        links.getFirst().client().send(1, from, 0, 4 * LENGTH);
        links.getFirst().client().awaitDisconnected();
        links.getFirst().close();
        post(shared, to, 1);
        links.getLast().client().send(2, from, 0, LENGTH);
        Completed received = links.getLast().server().received.next();
        while (!received.isSuccess()) {
            received = links.getLast().server().received.next();
        }
        assertEquals(links.getLast().server().queuePair.number(), received.queuePairNumber(), received::toString);
    }

    @Test
    void shouldTellOnceThatFewReceivesAreLeft() {
        SharedReceiveQueue shared = shared(8, 1);
        Link link = link(shared);
        MemoryRegion to = server.region(8 * LENGTH);
        MemoryRegion from = client.region(LENGTH);
        for (int i = 0; i < 8; i++) {
            post(shared, to, i);
        }
        AsynchronousEvents events = closeLater(server.device.asynchronousEvents());
        shared.armLimit(4);
        for (int i = 0; i < 3; i++) {
            link.client().send(i, from, 0, LENGTH);
            link.server().received.next().received(i, LENGTH);
        }
        assertThrows(VerbsTimeoutException.class, () -> events.await(MOMENT), "five are left");
        for (int i = 3; i < 7; i++) {
            link.client().send(i, from, 0, LENGTH);
            link.server().received.next().received(i, LENGTH);
        }
        AsynchronousEvent event = events.await(LIMIT);
        assertNotNull(event, "one is left, and no event came");
        assertEquals(AsynchronousEvent.Type.SHARED_RECEIVE_QUEUE_LIMIT_REACHED, event.type());
        assertSame(shared, event.source());
        assertThrows(VerbsTimeoutException.class, () -> events.await(MOMENT), "it was asked for once");
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        int deepest = server.device.attributes().objects().sharedReceives();
        int longest = server.device.attributes().objects().sharedReceiveElements();
        assertTrue(deepest > 0 && longest > 0);
        assertThrows(IllegalArgumentException.class, () -> server.domain.createSharedReceiveQueue(0, 1));
        assertThrows(IllegalArgumentException.class, () -> server.domain.createSharedReceiveQueue(deepest + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> server.domain.createSharedReceiveQueue(1, 0));
        assertThrows(IllegalArgumentException.class, () -> server.domain.createSharedReceiveQueue(1, longest + 1));
        SharedReceiveQueue shared = shared(4, 1);
        assertThrows(IllegalArgumentException.class, () -> shared.armLimit(-1));
        assertThrows(IllegalArgumentException.class, () -> shared.armLimit(shared.depth() + 1));
        MemoryRegion readOnly = server.region(LENGTH, Access.REMOTE_READ);
        assertThrows(IllegalArgumentException.class, () -> shared.tryPost(new ReceiveRequest().receive(1).local(readOnly, 0, LENGTH)));
        assertThrows(IndexOutOfBoundsException.class,
                () -> shared.tryPost(new ReceiveRequest().receive(1).local(server.region(LENGTH), 1, LENGTH)));
        MemoryRegion foreign = server.device.allocateProtectionDomain().register(server.memory(LENGTH), Access.LOCAL_WRITE);
        assertThrows(IllegalArgumentException.class, () -> shared.tryPost(new ReceiveRequest().receive(1).local(foreign, 0, LENGTH)));
    }

    @Test
    void shouldRefuseAQueuePairOfAnotherDomain() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        ProtectionDomain other = server.device.allocateProtectionDomain();
        SharedReceiveQueue shared = other.createSharedReceiveQueue(4, 1);
        assertThrows(IllegalArgumentException.class, () -> {
            try (var request = dialing()) {
                request.createQueuePair(server.domain,
                        QueuePairAttributes.of(server.queue(16)).withInline(0).withSharedReceiveQueue(shared));
            }
        });
    }

    private Connector dialing() {
        return server.connections().connector(listener().address(), LIMIT);
    }

    @Test
    void shouldCloseTheQueuePairsThatUseIt() {
        SharedReceiveQueue shared = shared(4, 1);
        Link link = link(shared);
        MemoryRegion to = server.region(4 * LENGTH);
        for (int i = 0; i < 4; i++) {
            post(shared, to, i);
        }
        shared.close();
        shared.close();
        assertFalse(link.server().connection.isConnected());
        assertThrows(ClosedException.class, () -> shared.tryPost(new ReceiveRequest().receive(1).local(to, 0, LENGTH)));
        assertThrows(ClosedException.class, () -> shared.armLimit(1));
        // Receives that nobody took are lost without a completion.
        link.server().received.nothing();
        link.client().awaitDisconnected();
    }

    @Test
    void shouldCloseWithItsDomainWhileMessagesArrive() {
        SharedReceiveQueue shared = shared(32, 1);
        List<Link> links = links(2, shared, server.queue(256));
        MemoryRegion to = server.region(32 * LENGTH);
        MemoryRegion from = client.region(LENGTH);
        for (int i = 0; i < 32; i++) {
            post(shared, to, i);
        }
        for (int i = 0; i < 20; i++) {
            links.get(i % 2).client().send(i, from, 0, LENGTH);
        }
        server.domain.close();
        shared.close();
        assertNotPosted(() -> shared.tryPost(new ReceiveRequest().receive(1).local(to, 0, LENGTH)));
        assertThrows(ClosedException.class, () -> server.domain.createSharedReceiveQueue(1, 1));
        links.forEach(link -> link.client().awaitDisconnected());
    }

    @Test
    void shouldWakeWhoWaitsWhenItIsClosed() {
        SharedReceiveQueue shared = shared(4, 1);
        Link link = link(shared);
        Background<Boolean> waiting = Background.start(() -> link.server().connection.awaitDisconnected(LIMIT)).settled();
        shared.close();
        assertTrue(waiting.get());
    }
}

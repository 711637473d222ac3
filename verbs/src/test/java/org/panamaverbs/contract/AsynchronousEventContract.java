package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.VerbsTimeoutException;

/** Listening to the events that a device reports without being asked. */
public abstract class AsynchronousEventContract extends ContractTest {
    @Test
    void shouldSayNothingWhereNothingHappens() {
        AsynchronousEvents events = client.device.asynchronousEvents();
        assertThrows(VerbsTimeoutException.class, () -> events.await(MOMENT));
        assertThrows(VerbsTimeoutException.class, () -> events.await(Duration.ZERO));
        assertEquals(0, events.lost());
        assertThrows(IllegalArgumentException.class, () -> events.await(Duration.ofMillis(-1)));
    }

    @Test
    void shouldSayNothingOfAConnectionThatEndsInGoodOrder() {
        AsynchronousEvents events = closeLater(server.device.asynchronousEvents());
        Link link = connect();
        link.exchange(1);
        link.close();
        AsynchronousEvent event;
        try {
            event = events.await(MOMENT);
        } catch (VerbsTimeoutException e) {
            return;
        }
        assertTrue(event.type() == AsynchronousEvent.Type.COMMUNICATION_ESTABLISHED
                || event.type() == AsynchronousEvent.Type.LAST_RECEIVE_REACHED, () -> "nothing failed: " + event);
    }

    @Test
    void shouldTellEveryListener() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        AsynchronousEvents first = closeLater(server.device.asynchronousEvents());
        AsynchronousEvents second = closeLater(server.device.asynchronousEvents());
        AsynchronousEvents gone = server.device.asynchronousEvents();
        gone.close();
        SharedReceiveQueue shared = server.domain.createSharedReceiveQueue(4, 1);
        Link link = dialer().serverAttributes(attributes -> attributes.withSharedReceiveQueue(shared)).connect();
        MemoryRegion to = server.region(64);
        MemoryRegion from = client.region(64);
        for (int i = 0; i < 4; i++) {
            shared.post(new ReceiveRequest().receive(i).local(to, 0, 64));
        }
        shared.armLimit(4);
        Background<AsynchronousEvent> waiting = Background.start(() -> first.await(LIMIT)).settled();
        for (int i = 0; i < 3; i++) {
            link.client().send(i, from, 0, 64);
            link.server().received.next().received(i, 64);
        }
        for (AsynchronousEvent event : new AsynchronousEvent[] { waiting.get(), second.await(LIMIT) }) {
            assertNotNull(event);
            assertEquals(AsynchronousEvent.Type.SHARED_RECEIVE_QUEUE_LIMIT_REACHED, event.type());
            assertSame(shared, event.source());
            assertEquals(0, event.port());
            assertTrue(event.toString().startsWith("SHARED_RECEIVE_QUEUE_LIMIT_REACHED of "), event::toString);
        }
    }

    @Test
    void shouldWakeWhoWaitsWhenItIsClosed() {
        AsynchronousEvents events = client.device.asynchronousEvents();
        Background<AsynchronousEvent> waiting = Background.start(() -> events.await(LIMIT.multipliedBy(2))).settled();
        Background<AsynchronousEvent> virtual = Background.startVirtual(() -> events.await(LIMIT.multipliedBy(2))).settled();
        events.close();
        events.close();
        waiting.getThrown(ClosedException.class);
        virtual.getThrown(ClosedException.class);
        assertThrows(ClosedException.class, () -> events.await(Duration.ZERO));
    }

    @Test
    void shouldWakeWhoWaitsWhenTheDeviceIsClosed() {
        Side own = openClient();
        AsynchronousEvents events = own.device.asynchronousEvents();
        Background<AsynchronousEvent> waiting = Background.start(() -> events.await(LIMIT.multipliedBy(2))).settled();
        own.close();
        waiting.getThrown(ClosedException.class);
        assertThrows(ClosedException.class, own.device::asynchronousEvents);
        events.close();
    }
}

package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.Connector;

/** The attributes that a queue pair answers, and those that can change while it is connected. A test skips an empty one. */
public abstract class QueryContract extends ConnectionContract {
    private static final Duration DELAY = Duration.ofMillis(20);

    private static void assumeAnswered(QueriedAttributes queried) {
        Assumptions.assumeTrue(queried.state().isPresent(), "the provider does not answer");
    }

    private static void assertAtLeast(int least, OptionalInt value, String name) {
        assertTrue(value.isEmpty() || value.getAsInt() >= least, () -> name + ": " + value + " is less than " + least);
    }

    @Test
    void shouldTellTheAttributesOfAConnection() {
        Link link = connect();
        for (Endpoint end : List.of(link.client(), link.server())) {
            QueriedAttributes queried = end.queuePair.query();
            assumeAnswered(queried);
            QueuePairAttributes granted = end.queuePair.attributes();
            assertEquals(Optional.of(QueriedAttributes.State.READY_TO_SEND), queried.state());
            assertAtLeast(granted.sendDepth(), queried.sendDepth(), "send depth");
            assertAtLeast(granted.receiveDepth(), queried.receiveDepth(), "receive depth");
            assertAtLeast(granted.sendElements(), queried.sendElements(), "send elements");
            assertAtLeast(granted.receiveElements(), queried.receiveElements(), "receive elements");
            assertAtLeast(granted.inlineLength(), queried.inlineLength(), "inline length");
            // Some devices round up to a power of two.
            assertAtLeast(end.connection.inboundReads(), queried.inboundReads(), "IRD");
            assertAtLeast(end.connection.outboundReads(), queried.outboundReads(), "ORD");
        }
    }

    @Test
    void shouldTellTheStateFromItsBeginToItsEnd() {
        Connector connector = connector();
        QueuePair unconnected = connector.createQueuePair(client.domain, attributes(client));
        QueriedAttributes first = unconnected.query();
        assumeAnswered(first);
        assertEquals(Optional.of(QueriedAttributes.State.INIT), first.state());
        assertEquals(Optional.empty(), first.route());
        assertEquals(Optional.empty(), first.acknowledgementTimeout());
        assertEquals(OptionalInt.empty(), first.outboundReads());
        connector.close();
        assertThrows(ClosedException.class, unconnected::query);
        Link link = connect();
        link.client().connection.disconnect();
        for (Endpoint end : List.of(link.client(), link.server())) {
            assertTrue(end.connection.awaitDisconnected(LIMIT));
            assertEquals(Optional.of(QueriedAttributes.State.ERROR), end.queuePair.query().state());
            end.queuePair.close();
            assertThrows(ClosedException.class, end.queuePair::query);
        }
    }

    /** Attributes that iWARP lacks: TCP's path and timers are not the device's. */
    @Test
    void shouldTellThePathOfAConnection() {
        Link link = connect();
        assumeSupports(client.device, Capability.CONNECT_BY_ADDRESS);
        QueriedAttributes queried = link.client().queuePair.query();
        assertTrue(queried.pathMtu().orElseThrow() >= 256, queried::toString);
        assertEquals(link.server().queuePair.number(), queried.remoteNumber().orElseThrow());
        assertTrue(queried.route().isPresent() && queried.rights().isPresent(), queried::toString);
        assertTrue(queried.retries().isPresent() && queried.receiverNotReadyRetries().isPresent(), queried::toString);
        assertTrue(queried.acknowledgementTimeout().isPresent(), queried::toString);
    }

    @Test
    void shouldChangeTheReceiverNotReadyDelay() {
        Link link = connect();
        assumeSupports(client.device, Capability.RECEIVER_NOT_READY);
        QueuePair queuePair = link.client().queuePair;
        queuePair.modifyReceiverNotReadyDelay(DELAY);
        // 20.48 ms is the next step.
        assertTrue(queuePair.query().receiverNotReadyDelay().orElseThrow().compareTo(DELAY) >= 0);
        assertThrows(IllegalArgumentException.class, () -> queuePair.modifyReceiverNotReadyDelay(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> queuePair.modifyReceiverNotReadyDelay(Duration.ofMillis(656)));
        link.exchange(1);
        link.client().connection.disconnect();
        assertTrue(link.client().connection.awaitDisconnected(LIMIT));
        assertThrows(IllegalStateException.class, () -> queuePair.modifyReceiverNotReadyDelay(DELAY));
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.modifyReceiverNotReadyDelay(DELAY));
    }

    @Test
    void shouldTakeTheRightsOfThePeer() {
        Link link = connect();
        assumeSupports(server.device, Capability.MODIFY_RIGHTS);
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        remote.segment().fill((byte) 7);
        assertThrows(IllegalArgumentException.class, () -> link.server().queuePair.modifyRights(Set.of(Access.LOCAL_WRITE)));
        link.server().queuePair.modifyRights(Set.of());
        assertEquals(Optional.of(Set.of()), link.server().queuePair.query().rights());
        link.exchange(1);
        link.client().write(3, local, 0, 64, remote, 0);
        assertFalse(link.client().sent.next().isSuccess());
        assertTrue(link.client().connection.awaitDisconnected(LIMIT));
        assertEquals(7, remote.segment().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldRefuseToChangeWhatTheDeviceHasNot() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        refusesWithout(Capability.RECEIVER_NOT_READY, () -> queuePair.modifyReceiverNotReadyDelay(DELAY));
        refusesWithout(Capability.MODIFY_RIGHTS, () -> queuePair.modifyRights(Set.of()));
        refusesWithout(Capability.RATE_LIMIT, () -> queuePair.modifyRateLimit(1000));
        link.exchange(1);
    }

    private void refusesWithout(Capability capability, Runnable change) {
        if (!client.device.supports(capability)) {
            assertNames(assertThrows(UnsupportedVerbException.class, change::run), client.device, capability);
        }
    }
}

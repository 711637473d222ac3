package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.DeviceAttributes;

/** The queue pairs that connectors and connection requests make. */
abstract class ConnectedQueuePairContract extends ConnectionContract {
    @Test
    void shouldTellWhatAQueuePairIsMadeOf() {
        Connector connector = connector();
        QueuePairAttributes wanted = attributes(client).withDepths(17, 33).withSignalAll(true);
        QueuePair queuePair = connector.createQueuePair(client.domain, wanted);
        QueuePairAttributes real = queuePair.attributes();
        assertSame(client.domain, queuePair.domain());
        assertSame(wanted.sendQueue(), real.sendQueue());
        assertSame(wanted.receiveQueue(), real.receiveQueue());
        assertTrue(real.sendDepth() >= 17, real::toString);
        assertTrue(real.receiveDepth() >= 33, real::toString);
        assertTrue(real.sendElements() >= wanted.sendElements(), real::toString);
        assertTrue(real.receiveElements() >= wanted.receiveElements(), real::toString);
        assertTrue(real.inlineLength() >= wanted.inlineLength(), real::toString);
        assertTrue(real.signalAll());
        Connector other = connector();
        assertNotEquals(queuePair.number(), other.createQueuePair(client.domain, attributes(client)).number());
    }

    @Test
    void shouldRefuseASecondQueuePair() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        assertThrows(IllegalStateException.class, () -> connector.createQueuePair(client.domain, attributes(client)));
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        assertThrows(IllegalStateException.class, () -> request.createQueuePair(server.domain, attributes(server)));
        request.close();
        dialling.getThrown(PeerException.class);
    }

    @Test
    void shouldRefuseToConnectOrAcceptWithoutAQueuePair() {
        Connector connector = connector();
        assertThrows(IllegalStateException.class, () -> connector.connect(parameters(client), LIMIT));
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        assertThrows(IllegalStateException.class, () -> request.accept(parameters(server), LIMIT));
        request.close();
        dialling.getThrown(PeerException.class);
    }

    @Test
    void shouldRefuseADomainOrQueueOfAnotherDevice() {
        Side other = openClient();
        Assumptions.assumeTrue(other.device != client.device, "the pair has one device only");
        assertThrows(IllegalArgumentException.class, () -> connector().createQueuePair(other.domain, attributes(client)));
        assertThrows(IllegalArgumentException.class, () -> connector().createQueuePair(client.domain, attributes(other)));
    }

    @Test
    void shouldRefuseNumbersBeyondTheDevicesLimits() {
        DeviceAttributes limits = client.device.attributes();
        refuses(limits.maximumWorkRequests(), a -> a.withDepths(limits.maximumWorkRequests() + 1, 1));
        refuses(limits.maximumWorkRequests(), a -> a.withDepths(1, limits.maximumWorkRequests() + 1));
        refuses(limits.maximumScatterGather(), a -> a.withElements(limits.maximumScatterGather() + 1, 1));
        refuses(limits.maximumScatterGather(), a -> a.withElements(1, limits.maximumScatterGather() + 1));
        refuses(limits.maximumInline(), a -> a.withInline(limits.maximumInline() + 1));
    }

    private void refuses(int limit, UnaryOperator<QueuePairAttributes> change) {
        if (limit < Integer.MAX_VALUE) {
            QueuePairAttributes beyond = change.apply(attributes(client));
            assertThrows(IllegalArgumentException.class, () -> connector().createQueuePair(client.domain, beyond), beyond::toString);
        }
    }
}

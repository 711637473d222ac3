package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.RejectedException;

/** Rejecting and dropping connection requests. */
abstract class RejectContract extends ConnectionContract {
    @Test
    void shouldTellTheClientThatItWasRejectedAndWhatTheServerSaid() {
        byte[] sorry = "not today".getBytes();
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(sorry);
        RejectedException rejected = dialling.getThrown(RejectedException.class);
        assertPrivateData(sorry, rejected.privateData());
    }

    @Test
    void shouldRejectWithoutPrivateData() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(new byte[0]);
        assertPrivateData(new byte[0], dialling.getThrown(RejectedException.class).privateData());
    }

    @Test
    void shouldRejectWithAsMuchPrivateDataAsTheDeviceSays() {
        int most = Math.min(client.device.attributes().maximumPrivateData(), server.device.attributes().maximumPrivateData());
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(bytes(most, 3));
        assertPrivateData(bytes(most, 3), dialling.getThrown(RejectedException.class).privateData());
    }

    @Test
    void shouldRefuseToRejectWithMorePrivateDataThanTheDeviceSays() {
        Assumptions.assumeTrue(server.isIwarp(), "elsewhere a reply may carry more than a request");
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        byte[] tooMuch = bytes(server.device.attributes().maximumPrivateData() + 1, 1);
        assertThrows(IllegalArgumentException.class, () -> request.reject(tooMuch));
        request.close();
        dialling.getThrown(PeerException.class);
    }

    /** Not every protocol and driver tells the depths; none tells others. */
    @Test
    void shouldTellNoOtherDepthsOfReadsThanTheServerRejectedWith() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(ConnectionParameters.defaults().withReads(1, 0).withPrivateData(new byte[] { 7 }));
        RejectedException rejected = dialling.getThrown(RejectedException.class);
        assertPrivateData(new byte[] { 7 }, rejected.privateData());
        assertEquals(1, rejected.remoteInboundReads().orElse(1));
        assertEquals(0, rejected.remoteOutboundReads().orElse(0));
    }

    @Test
    void shouldRejectARequestThatHasAQueuePair() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        QueuePair queuePair = request.createQueuePair(server.domain, attributes(server));
        request.reject(new byte[] { 7 });
        dialling.getThrown(RejectedException.class);
        request.close();
        queuePair.close();
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldEndARequestWhoseQueuePairWasClosed() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server)).close();
        request.close();
        dialling.getThrown(PeerException.class);
    }

    /** Closing the queue pair may end the request, so that the peer gets no private data. */
    @Test
    void shouldRejectARequestWhoseQueuePairWasClosed() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server)).close();
        request.reject(new byte[] { 7 });
        dialling.getThrown(PeerException.class);
        request.close();
    }

    @Test
    void shouldCloseTheQueuePairOfAConnectorThatWasRejected() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), LIMIT));
        listener().awaitRequest(LIMIT).reject(new byte[0]);
        connecting.getThrown(RejectedException.class);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldConnectAfterItWasRejected() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(new byte[0]);
        dialling.getThrown(RejectedException.class);
        connect().exchange(1);
    }

    @Test
    void shouldNotAcceptWhatWasRejected() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        request.reject(new byte[0]);
        assertThrows(IllegalStateException.class, () -> request.accept(parameters(server), LIMIT));
        assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
        dialling.getThrown(RejectedException.class);
    }

    @Test
    void shouldTellTheClientThatItsRequestWasDropped() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.close();
        dialling.getThrown(PeerException.class);
        assertThrows(IllegalStateException.class, () -> acceptOrIllegal(request));
    }

    private void acceptOrIllegal(ConnectionRequest request) {
        try {
            request.createQueuePair(server.domain, attributes(server));
            request.accept(parameters(server), LIMIT);
        } catch (ClosedException e) {
            throw new IllegalStateException(e);
        }
    }
}

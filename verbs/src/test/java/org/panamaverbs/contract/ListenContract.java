package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** Listening: addresses, waiting for requests, closing a listener. */
abstract class ListenContract extends ConnectionContract {
    @Test
    void shouldTellThePortThatWasPicked() {
        assertNotEquals(0, listener().address().getPort());
        assertEquals(pair().listenAddress().getAddress(), listener().address().getAddress());
    }

    @Test
    void shouldTellWhoAsksAndWhomItConnectsTo() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        InetSocketAddress asking = request.remoteAddress();
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(parameters(server), LIMIT);
        assertEquals(dialling.get().connection.localAddress(), asking);
        assertEquals(asking, accepted.remoteAddress());
        try (Connector connector = client.connections().connector(listener().address(), LIMIT)) {
            assertEquals(listener().address(), connector.remoteAddress());
        }
    }

    @Test
    void shouldFailToListenOnAnAddressInUse() {
        InetSocketAddress taken = listener().address();
        SystemException inUse = assertThrows(SystemException.class, () -> server.connections().listen(taken, 1));
        assertTrue(inUse.getMessage().contains(Integer.toString(taken.getPort())),
                () -> "the message should name the address: " + inUse.getMessage());
    }

    @Test
    void shouldFailToListenOnAnAddressOfAnotherMachine() {
        // 203.0.113.0/24 is for documentation (RFC 5737): nobody has it.
        assertThrows(SystemException.class, () -> server.connections().listen(new InetSocketAddress("203.0.113.1", 0), 1));
    }

    @Test
    void shouldListenAgainOnAnAddressThatWasGivenBack() {
        connect().exchange(1);
        InetSocketAddress address = listener().address();
        listener().close();
        try (Listener again = server.connections().listen(address, 8)) {
            assertEquals(address, again.address());
            Link link = new Dialer(client, server, again, pair().spins()).connect();
            link.exchange(2);
        }
    }

    @Test
    void shouldRefuseABacklogOfNone() {
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(pair().listenAddress(), 0));
    }

    @Test
    void shouldTimeOutWhereNobodyAsks() {
        Listener listener = listener();
        long start = System.nanoTime();
        assertThrows(VerbsTimeoutException.class, () -> listener.awaitRequest(SHORT));
        assertElapsed(start, SHORT);
        assertThrows(VerbsTimeoutException.class, () -> listener.awaitRequest(Duration.ZERO));
    }

    @Test
    void shouldWaitForeverForARequest() {
        Listener listener = listener();
        Background<ConnectionRequest> waiting = Background.start(() -> listener.awaitRequest(Verbs.FOREVER)).settled();
        assertFalse(waiting.isDone());
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), Verbs.FOREVER));
        ConnectionRequest request = waiting.get();
        request.createQueuePair(server.domain, attributes(server));
        assertTrue(request.accept(parameters(server), Verbs.FOREVER).isConnected());
        assertTrue(connecting.get().isConnected());
    }

    @Test
    void shouldWakeWhoWaitsForARequestWhenTheListenerCloses() {
        Listener listener = listener();
        Background<ConnectionRequest> waiting = Background.start(() -> listener.awaitRequest(Verbs.FOREVER)).settled();
        listener.close();
        waiting.getThrown(ClosedException.class);
        assertThrows(ClosedException.class, () -> listener.awaitRequest(LIMIT));
    }

    @Test
    void shouldDropRequestsThatAClosingListenerHasNotHandedOut() {
        Background<Endpoint> dialling = Background.start(dialer()::dial).settled();
        listener().close();
        // Had nobody dropped the request, its peer would wait for as long as it may.
        assertFalse(dialling.getThrown(VerbsException.class) instanceof VerbsTimeoutException);
    }

    @Test
    void shouldKeepConnectionsWhenTheListenerCloses() {
        Link link = connect();
        listener().close();
        link.exchange(1);
        assertTrue(link.server().connection.isConnected());
    }

    @Test
    void shouldCloseListenersOfASessionWithIt() {
        Side other = openServer();
        Listener listening = ConnectionManager.of(other.verbs).listen(pair().listenAddress(), 8);
        Background<ConnectionRequest> waiting = Background.start(() -> listening.awaitRequest(Verbs.FOREVER)).settled();
        other.verbs.close();
        waiting.getThrown(ClosedException.class);
    }
}

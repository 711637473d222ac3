package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;

/** Connecting and accepting: addresses, devices, states, time-outs, and attempts that are given up. */
abstract class ConnectContract extends ConnectionContract {
    private static final int CONNECTION_REFUSED = 111;

    @Test
    void shouldAlwaysGiveTheSameConnectionManager() {
        assertSame(ConnectionManager.of(client.device), ConnectionManager.of(client.device));
    }

    @Test
    void shouldConnectAndTellTheAddressesOfBothEnds() {
        Link link = connect();
        assertTrue(link.client().connection.isConnected());
        assertTrue(link.server().connection.isConnected());
        assertEquals(listener().address(), link.client().connection.remoteAddress());
        assertEquals(listener().address().getPort(), link.server().connection.localAddress().getPort());
        assertNotEquals(0, link.client().connection.localAddress().getPort());
        assertEquals(link.client().connection.localAddress(), link.server().connection.remoteAddress());
        link.exchange(1);
    }

    @Test
    void shouldGoThroughTheStatesOfAQueuePair() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        assertEquals(QueuePairState.INIT, queuePair.state());
        Background<Endpoint> accepting = Background.start(dialer()::accept);
        Connection connection = connector.connect(parameters(client), LIMIT);
        assertSame(queuePair, connection.queuePair());
        assertEquals(QueuePairState.READY_TO_SEND, queuePair.state());
        assertEquals(QueuePairState.READY_TO_SEND, accepting.get().queuePair.state());
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(QueuePairState.ERROR, queuePair.state());
        connection.close();
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldFailToConnectWhereNobodyListens() {
        InetSocketAddress deserted = listener().address();
        listener().close();
        SystemException refused = assertThrows(SystemException.class, () -> {
            Connector connector = client.connections().connector(deserted, LIMIT);
            connector.createQueuePair(client.domain, attributes(client));
            connector.connect(parameters(client), LIMIT);
        });
        assertEquals(Route.text(deserted) + " refuses connections: is a server running there? (ECONNREFUSED)", refused.getMessage());
        assertEquals(CONNECTION_REFUSED, refused.errorNumber());
        assertOfCaller(refused, ConnectContract.class);
    }

    @Test
    void shouldLeadToTheCallerThatIsRejected() {
        Connector connector = connector();
        Background<Void> rejecting = Background.start(() -> {
            listener().awaitRequest(LIMIT).reject(new byte[] { 7 });
            return null;
        });
        connector.createQueuePair(client.domain, attributes(client));
        RejectedException rejected = assertThrows(RejectedException.class, () -> connector.connect(parameters(client), LIMIT));
        rejecting.get();
        assertOfCaller(rejected, ConnectContract.class);
        assertPrivateData(new byte[] { 7 }, rejected.privateData());
    }

    @Test
    void shouldCloseTheQueuePairWhereNobodyListens() {
        InetSocketAddress deserted = listener().address();
        listener().close();
        Connector connector = client.connections().connector(deserted, LIMIT);
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        assertThrows(VerbsException.class, () -> connector.connect(parameters(client), LIMIT));
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldRefuseAddressesThatAreNotResolved() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 4711);
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(unresolved, 1));
        assertThrows(IllegalArgumentException.class, () -> client.connections().connector(unresolved, LIMIT));
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> server.connections().listen(null, 1));
        assertThrows(NullPointerException.class, () -> client.connections().connector((InetSocketAddress) null, LIMIT));
        assertThrows(NullPointerException.class, () -> client.connections().connector((Route) null, LIMIT));
        assertThrows(NullPointerException.class, () -> client.connections().connector(listener().address(), null));
        assertThrows(NullPointerException.class, () -> listener().awaitRequest(null));
        Connector connector = connector();
        assertThrows(NullPointerException.class, () -> connector.createQueuePair(null, attributes(client)));
        assertThrows(NullPointerException.class, () -> connector.createQueuePair(client.domain, null));
    }

    @Test
    void shouldTimeOutWhereNobodyAccepts() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        long start = System.nanoTime();
        VerbsTimeoutException late = assertThrows(VerbsTimeoutException.class, () -> connector.connect(parameters(client), SHORT));
        assertElapsed(start, SHORT);
        assertOfCaller(late, ConnectContract.class);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldAcceptOthersAfterOneGaveUp() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        assertThrows(VerbsTimeoutException.class, () -> connector.connect(parameters(client), SHORT));
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        Link link = null;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (link == null && System.nanoTime() - deadline < 0) {
            // The request of the one that gave up may still be there to be taken, or not.
            ConnectionRequest request = listener().awaitRequest(LIMIT);
            QueuePair queuePair = null;
            Connection connection;
            try {
                queuePair = request.createQueuePair(server.domain, attributes(server));
                connection = request.accept(parameters(server), LIMIT);
            } catch (PeerException gone) {
                assertTrue(queuePair == null || queuePair.state() == QueuePairState.CLOSED);
                continue;
            }
            // It is the second client's, which then is connected, or it ends.
            while (!dialling.isDone() && connection.isConnected() && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
            if (dialling.isDone() && connection.remoteAddress().equals(dialling.get().connection.localAddress())) {
                link = new Link(dialling.get(), new Endpoint(server, queuePair, connection, pair().spins()));
            } else {
                assertTrue(connection.awaitDisconnected(LIMIT), "the connection of a peer that gave up should end");
            }
        }
        assertTrue(link != null, "the second client should be connected");
        link.exchange(1);
    }

    @Test
    void shouldNotStayConnectedToAPeerThatGaveUp() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), LIMIT));
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        connector.close();
        connecting.getThrown(ClosedException.class);
        Connection connection;
        try {
            connection = request.accept(parameters(server), LIMIT);
        } catch (PeerException gone) {
            return;
        }
        assertTrue(connection.awaitDisconnected(LIMIT), "accepted before the end of the peer was seen; it must be seen then");
    }

    @Test
    void shouldWakeWhoConnectsWhenTheConnectorCloses() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), Verbs.FOREVER));
        listener().awaitRequest(LIMIT);
        connector.close();
        connecting.getThrown(ClosedException.class);
        assertEquals(QueuePairState.CLOSED, queuePair.state());
    }

    @Test
    void shouldKeepAConnectionWhenItsConnectorAndRequestClose() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), LIMIT));
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        QueuePair accepted = request.createQueuePair(server.domain, attributes(server));
        Endpoint passive = new Endpoint(server, accepted, request.accept(parameters(server), LIMIT), pair().spins());
        Endpoint active = new Endpoint(client, queuePair, connecting.get(), pair().spins());
        connector.close();
        request.close();
        new Link(active, passive).exchange(1);
    }

    @Test
    void shouldAnswerTheFirstMessageWhileAnotherThreadAccepts() {
        Connector connector = connector();
        QueuePair asking = connector.createQueuePair(client.domain, attributes(client));
        MemoryRegion client8 = client.region(8);
        asking.post(new ReceiveRequest().receive(1).local(client8, 0, 8));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), LIMIT));
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        QueuePair answering = request.createQueuePair(server.domain, attributes(server));
        MemoryRegion server8 = server.region(8);
        answering.post(new ReceiveRequest().receive(2).local(server8, 0, 8));
        Background<Connection> accepting = Background.start(() -> request.accept(parameters(server), LIMIT));
        connecting.get();
        asking.post(new SendRequest().send(3).local(client8, 0, 8));
        assertEquals(2, answering.attributes().receiveQueue().take(LIMIT).orThrow().id());
        answering.post(new SendRequest().send(4).local(server8, 0, 8));
        assertEquals(1, asking.attributes().receiveQueue().take(LIMIT).orThrow().id());
        assertTrue(accepting.get().isConnected());
    }

    @Test
    void shouldConnectAndAcceptOnlyOnce() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        Background<Connection> connecting = Background.start(() -> connector.connect(parameters(client), LIMIT));
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(parameters(server), LIMIT);
        Connection connected = connecting.get();
        assertThrows(IllegalStateException.class, () -> connector.connect(parameters(client), LIMIT));
        assertThrows(IllegalStateException.class, () -> request.accept(parameters(server), LIMIT));
        assertThrows(IllegalStateException.class, () -> request.reject(new byte[0]));
        assertTrue(accepted.isConnected());
        assertTrue(connected.isConnected());
    }

    @Test
    void shouldNameTheDeviceOfBothSides() {
        Listener listening = listener();
        Background<ConnectionRequest> accepting = Background.start(() -> listening.awaitRequest(LIMIT));
        try (Connector connector = client.connections().connector(listening.address(), LIMIT)) {
            assertSame(client.device, connector.device());
            connector.createQueuePair(client.domain, QueuePairAttributes.of(client.queue(256)).withInline(0));
            Background<Connection> connecting = Background.start(() -> connector.connect(ConnectionParameters.defaults(), LIMIT));
            ConnectionRequest request = accepting.get();
            assertSame(server.device, request.device());
            assertEquals(listener().address().getPort(), request.localAddress().getPort());
            request.reject(new byte[0]);
            connecting.getThrown(RejectedException.class);
        }
    }

    /** The address alone selects the device. */
    @Test
    void shouldConnectOverTheDeviceThatTheAddressSelects() {
        ConnectionManager ofServer = ConnectionManager.of(server.verbs);
        ConnectionManager ofClient = ConnectionManager.of(client.verbs);
        assertSame(ofServer, ConnectionManager.of(server.verbs), "one for each session");
        try (Listener listening = ofServer.listen(pair().listenAddress(), 8)) {
            Background<Connection> accepting = Background.start(() -> {
                ConnectionRequest request = listening.awaitRequest(LIMIT);
                assertSame(server.device, request.device());
                request.createQueuePair(server.domain, QueuePairAttributes.of(server.queue(256)).withInline(0));
                return request.accept(Dialer.reads(server, 4, 4), LIMIT);
            });
            Connector connector = ofClient.connector(listening.address(), LIMIT);
            assertSame(client.device, connector.device());
            connector.createQueuePair(client.domain, QueuePairAttributes.of(client.queue(256)).withInline(0));
            Connection connection = connector.connect(Dialer.reads(client, 4, 4), LIMIT);
            Connection accepted = accepting.get();
            assertTrue(connection.isConnected() && accepted.isConnected());
            connection.close();
            assertTrue(accepted.awaitDisconnected(LIMIT));
        }
        assertThrows(VerbsTimeoutException.class, () -> {
            try (Listener listening = ofServer.listen(pair().listenAddress(), 8)) {
                listening.awaitRequest(MOMENT);
            }
        });
    }
}

package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.DeviceAttributes;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
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

/** Listening, connecting, accepting, rejecting and disconnecting. */
public abstract class ConnectionContract extends ContractTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    @Test
    void shouldAlwaysGiveTheSameConnectionManager() {
        assertSame(ConnectionManager.of(client.device), ConnectionManager.of(client.device));
    }

    @Test
    void shouldTellThePortThatWasPicked() {
        assertNotEquals(0, listener().address().getPort());
        assertEquals(pair().listenAddress().getAddress(), listener().address().getAddress());
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
    void shouldCarryPrivateDataBothWays() {
        byte[] hello = "from the client".getBytes();
        byte[] welcome = "from the server, which has more to say".getBytes();
        Background<Endpoint> dialling = Background.start(dialer().clientParameters(parameters(client).withPrivateData(hello))::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        assertPrivateData(hello, request.privateData());
        request.privateData()[0] = 'X';
        assertPrivateData(hello, request.privateData());
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(parameters(server).withPrivateData(welcome), LIMIT);
        Connection connected = dialling.get().connection;
        assertPrivateData(welcome, connected.privateData());
        assertPrivateData(hello, accepted.privateData());
        connected.privateData()[0] = 'X';
        assertPrivateData(welcome, connected.privateData());
    }

    @Test
    void shouldCarryNoPrivateDataWhereThereIsNone() {
        Link link = connect();
        assertPrivateData(new byte[0], link.client().connection.privateData());
        assertPrivateData(new byte[0], link.server().connection.privateData());
    }

    @Test
    void shouldCarryAsMuchPrivateDataAsTheDeviceSays() {
        int most = Math.min(client.device.attributes().maximumPrivateData(), server.device.attributes().maximumPrivateData());
        assertTrue(most > 0, "private data is always possible");
        Link link = dialer().clientParameters(parameters(client).withPrivateData(bytes(most, 1)))
                .serverParameters(parameters(server).withPrivateData(bytes(most, 2))).connect();
        assertPrivateData(bytes(most, 1), link.server().connection.privateData());
        assertPrivateData(bytes(most, 2), link.client().connection.privateData());
        link.exchange(1);
    }

    @Test
    void shouldRefuseToConnectWithMorePrivateDataThanTheDeviceSays() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        ConnectionParameters tooMuch = parameters(client).withPrivateData(bytes(client.device.attributes().maximumPrivateData() + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> connector.connect(tooMuch, LIMIT));
    }

    @Test
    void shouldRefuseToAcceptWithMorePrivateDataThanTheDeviceSays() {
        Assumptions.assumeTrue(server.isIwarp(), "elsewhere a reply may carry more than a request");
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        ConnectionParameters tooMuch = parameters(server).withPrivateData(bytes(server.device.attributes().maximumPrivateData() + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> request.accept(tooMuch, LIMIT));
        request.close();
        dialling.getThrown(PeerException.class);
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
    void shouldFailToConnectWhereNobodyListens() {
        InetSocketAddress deserted = listener().address();
        listener().close();
        SystemException refused = assertThrows(SystemException.class, () -> {
            Connector connector = client.connections().connector(deserted, LIMIT);
            connector.createQueuePair(client.domain, attributes(client));
            connector.connect(parameters(client), LIMIT);
        });
        assertTrue(refused.getMessage().contains(Integer.toString(deserted.getPort())),
                () -> "the message should name the address: " + refused.getMessage());
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
    void shouldRefuseAddressesThatAreNotResolved() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 4711);
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(unresolved, 1));
        assertThrows(IllegalArgumentException.class, () -> client.connections().connector(unresolved, LIMIT));
    }

    @Test
    void shouldRefuseABacklogOfNone() {
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(pair().listenAddress(), 0));
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> server.connections().listen(null, 1));
        assertThrows(NullPointerException.class, () -> client.connections().connector(null, LIMIT));
        assertThrows(NullPointerException.class, () -> client.connections().connector(listener().address(), null));
        assertThrows(NullPointerException.class, () -> listener().awaitRequest(null));
        Connector connector = connector();
        assertThrows(NullPointerException.class, () -> connector.createQueuePair(null, attributes(client)));
        assertThrows(NullPointerException.class, () -> connector.createQueuePair(client.domain, null));
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
    void shouldTimeOutWhereNobodyAccepts() {
        Connector connector = connector();
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        long start = System.nanoTime();
        assertThrows(VerbsTimeoutException.class, () -> connector.connect(parameters(client), SHORT));
        assertElapsed(start, SHORT);
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
    void shouldDropRequestsThatAClosingListenerHasNotHandedOut() {
        Background<Endpoint> dialling = Background.start(dialer()::dial).settled();
        listener().close();
        dialling.getThrown(VerbsException.class);
    }

    @Test
    void shouldTellTheClientThatItsRequestWasDropped() {
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.close();
        dialling.getThrown(PeerException.class);
        assertThrows(IllegalStateException.class, () -> acceptOrIllegal(request));
    }

    @Test
    void shouldKeepConnectionsWhenTheListenerCloses() {
        Link link = connect();
        listener().close();
        link.exchange(1);
        assertTrue(link.server().connection.isConnected());
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

    @Test
    void shouldAgreeOnTheDepthsOfReadsThatWereOffered() {
        Link link = connect();
        assertEquals(reads(16), link.client().connection.outboundReads());
        assertEquals(reads(16), link.client().connection.inboundReads());
        assertEquals(reads(16), link.server().connection.outboundReads());
        assertEquals(reads(16), link.server().connection.inboundReads());
    }

    @ParameterizedTest
    @CsvSource({ "4,8,2,16,2,4", "8,4,16,16,4,8", "1,1,1,1,1,1", "16,1,16,16,1,16", "0,4,4,4,4,0", "4,0,4,4,0,4", "4,4,0,4,0,4",
            "4,4,4,0,4,0", "0,0,0,0,0,0" })
    void shouldAgreeOnTheLesserDepthOfReads(int clientInbound, int clientOutbound, int serverInbound, int serverOutbound,
            int clientReads, int serverReads) {
        assumeAtLeast(Math.min(limit(client), limit(server)), 16, "depth of Reads");
        Background<Endpoint> dialling = Background
                .start(dialer().clientParameters(ConnectionParameters.defaults().withReads(clientInbound, clientOutbound))::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        assertEquals(clientInbound, request.remoteInboundReads());
        assertEquals(clientOutbound, request.remoteOutboundReads());
        request.createQueuePair(server.domain, attributes(server));
        Connection accepted = request.accept(ConnectionParameters.defaults().withReads(serverInbound, serverOutbound), LIMIT);
        Connection connected = dialling.get().connection;
        assertEquals(clientReads, connected.outboundReads(), "how many Reads the client may have outstanding");
        assertEquals(serverReads, accepted.outboundReads(), "how many Reads the server may have outstanding");
        assertWithin(serverReads, clientInbound, connected.inboundReads(), "how many Reads the client serves");
        assertWithin(clientReads, serverInbound, accepted.inboundReads(), "how many Reads the server serves");
    }

    private static void assertWithin(int least, int most, int actual, String what) {
        assertTrue(actual >= least && actual <= most, () -> what + ": " + actual + " is not within " + least + " to " + most);
    }

    @Test
    void shouldRefuseMoreReadsThanTheDeviceCan() {
        DeviceAttributes limits = client.device.attributes();
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        assertThrows(IllegalArgumentException.class,
                () -> connector.connect(ConnectionParameters.defaults().withReads(limits.maximumInboundReads() + 1, 1), LIMIT));
        Connector other = connector();
        other.createQueuePair(client.domain, attributes(client));
        assertThrows(IllegalArgumentException.class,
                () -> other.connect(ConnectionParameters.defaults().withReads(1, limits.maximumOutboundReads() + 1), LIMIT));
    }

    @Test
    void shouldRefuseReadsWhereNoneWereAgreed() {
        Link link = dialer().clientParameters(ConnectionParameters.defaults().withReads(reads(4), 0)).connect();
        assertEquals(0, link.client().connection.outboundReads());
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        assertThrows(IllegalStateException.class,
                () -> link.client().queuePair.tryPostRead(1, local, 0, 64, remote.remote(), 0, QueuePair.SIGNALED));
        // The other direction has some.
        link.server().read(2, remote, 0, 64, local, 0);
        link.server().sent.next().succeeded(2, CompletionOpcode.READ);
        link.exchange(3);
    }

    @Test
    void shouldRefuseReadsWhereThePeerServesNone() {
        Link link = dialer().serverParameters(ConnectionParameters.defaults().withReads(0, reads(4))).connect();
        assertEquals(0, link.client().connection.outboundReads());
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        assertThrows(IllegalStateException.class,
                () -> link.client().queuePair.tryPostRead(1, local, 0, 64, remote.remote(), 0, QueuePair.SIGNALED));
    }

    @Test
    void shouldStayConnectedWhileNobodyDisconnects() {
        Link link = connect();
        assertFalse(link.client().connection.awaitDisconnected(MOMENT));
        assertFalse(link.server().connection.awaitDisconnected(Duration.ZERO));
        assertTrue(link.client().connection.failure().isEmpty());
    }

    @Test
    void shouldEndInGoodOrderWhenTheClientDisconnects() {
        Link link = connect();
        link.exchange(1);
        disconnects(link.client(), link.server());
    }

    @Test
    void shouldEndInGoodOrderWhenTheServerDisconnects() {
        Link link = connect();
        link.exchange(1);
        disconnects(link.server(), link.client());
    }

    @Test
    void shouldEndInGoodOrderWhereNothingWasEverSent() {
        Link link = connect();
        disconnects(link.server(), link.client());
    }

    private static void disconnects(Endpoint first, Endpoint other) {
        MemoryRegion firstRegion = first.side.region(64);
        MemoryRegion otherRegion = other.side.region(64);
        for (int i = 0; i < 3; i++) {
            first.receive(10 + i, firstRegion, 0, 64);
            other.receive(20 + i, otherRegion, 0, 64);
        }
        Background<Boolean> waiting = Background.start(() -> other.connection.awaitDisconnected(Verbs.FOREVER)).settled();
        first.connection.disconnect();
        first.connection.disconnect();
        assertTrue(waiting.get());
        first.awaitOrderlyEnd();
        other.awaitOrderlyEnd();
        first.received.flushed(10, 11, 12);
        other.received.flushed(20, 21, 22);
        assertEquals(QueuePairState.ERROR, first.queuePair.state());
        assertEquals(QueuePairState.ERROR, other.queuePair.state());
        other.connection.disconnect();
    }

    @Test
    void shouldEndInGoodOrderWhenBothDisconnectAtOnce() {
        Link link = connect();
        link.exchange(1);
        Background<Void> other = Background.start(() -> {
            link.server().connection.disconnect();
            return null;
        });
        link.client().connection.disconnect();
        other.get();
        link.client().awaitOrderlyEnd();
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldEndInGoodOrderForThePeerWhenTheConnectionIsClosed() {
        Link link = connect();
        link.exchange(1);
        link.client().connection.close();
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldDeliverWhatWasSentBeforeTheDisconnect() {
        int length = 1 << 20;
        Link link = connect();
        MemoryRegion from = client.region(length);
        MemoryRegion to = server.region(length);
        Pattern.fill(from.segment(), 0, length, 9);
        link.server().receive(1, to, 0, length);
        link.client().send(2, from, 0, length);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.client().connection.disconnect();
        link.server().received.next().received(1, length);
        Pattern.verify(to.segment(), 0, length, 9);
        link.server().awaitOrderlyEnd();
    }

    @Test
    void shouldFlushWhatIsPostedAfterTheDisconnect() {
        Link link = connect();
        link.client().connection.disconnect();
        link.client().awaitOrderlyEnd();
        MemoryRegion region = client.region(64);
        // Unsignalled too: what fails completes visibly.
        link.client().send(1, region, 0, 64, 0);
        link.client().send(2, region, 0, 64);
        link.client().sent.flushed(1, 2);
        link.client().receive(3, region, 0, 64);
        link.client().received.flushed(3);
    }

    private QueuePairAttributes attributes(Side side) {
        return QueuePairAttributes.of(side.queue(256)).withInline(0);
    }

    private static ConnectionParameters parameters(Side side) {
        return Dialer.reads(side, 16, 16);
    }

    private Connector connector() {
        return closeLater(client.connections().connector(listener().address(), LIMIT));
    }

    /** As many Reads as both devices can. */
    private int reads(int wanted) {
        return Math.min(wanted, Math.min(limit(client), limit(server)));
    }

    private static int limit(Side side) {
        return Math.min(side.device.attributes().maximumInboundReads(), side.device.attributes().maximumOutboundReads());
    }

    private void acceptOrIllegal(ConnectionRequest request) {
        try {
            request.createQueuePair(server.domain, attributes(server));
            request.accept(parameters(server), LIMIT);
        } catch (ClosedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where the transport is not iWARP, private data comes padded with zeros. */
    private void assertPrivateData(byte[] expected, byte[] actual) {
        if (client.isIwarp() && server.isIwarp()) {
            assertArrayEquals(expected, actual);
        } else {
            assertArrayEquals(expected, Arrays.copyOf(actual, expected.length));
            assertArrayEquals(new byte[actual.length - expected.length], Arrays.copyOfRange(actual, expected.length, actual.length));
        }
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = Pattern.at(seed, i);
        }
        return bytes;
    }

    private static void assertElapsed(long start, Duration least) {
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        // Clocks of the system's waits are coarser than ours.
        assertTrue(elapsed.plusMillis(20).compareTo(least) >= 0, () -> "gave up after " + elapsed + " already");
        assertTrue(elapsed.compareTo(LIMIT) < 0, () -> "gave up after " + elapsed + " only");
    }

    @Test
    void shouldFailWithAVerbsExceptionThatTellsTheState() {
        Link link = connect();
        link.client().connection.close();
        IllegalStateException closed = assertInstanceOf(IllegalStateException.class,
                assertThrows(RuntimeException.class, () -> link.client().send(1, client.region(8), 0, 8)));
        assertFalse(closed.getMessage() == null || closed.getMessage().isBlank(), "the exception says nothing");
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

    @Test
    void shouldCloseListenersOfASessionWithIt() {
        Side other = openServer();
        Listener listening = ConnectionManager.of(other.verbs).listen(pair().listenAddress(), 8);
        Background<ConnectionRequest> waiting = Background.start(() -> listening.awaitRequest(Verbs.FOREVER)).settled();
        other.verbs.close();
        waiting.getThrown(ClosedException.class);
    }
}

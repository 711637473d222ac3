package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.QueuePair;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;

/** The parts of a route to a peer that a program chooses: source address, type of service, acknowledgement time-out. */
abstract class RouteContract extends ConnectionContract {
    /** Expedited forwarding (RFC 3246). */
    private static final int SERVICE = 0xB8;
    private static final Duration ACKNOWLEDGEMENT = Duration.ofMillis(70);

    /** Accepts what comes to a listener while the client connects by a route. */
    private Link connect(Listener listening, Route route, ConnectionParameters ours, ConnectionParameters theirs) {
        Background<Endpoint> accepting = Background.start(() -> {
            ConnectionRequest request = listening.awaitRequest(LIMIT);
            QueuePair queuePair = request.createQueuePair(server.domain, attributes(server));
            return new Endpoint(server, queuePair, request.accept(theirs, LIMIT), pair().spins());
        });
        Connector connector = closeLater(client.connections().connector(route, LIMIT));
        QueuePair queuePair = connector.createQueuePair(client.domain, attributes(client));
        Connection connection = connector.connect(ours, LIMIT);
        return new Link(new Endpoint(client, queuePair, connection, pair().spins()), accepting.get());
    }

    private Link connect(Listener listening, Route route) {
        return connect(listening, route, parameters(client), parameters(server));
    }

    /** An address of this machine that leads to the server, with a port that no TCP socket has. */
    private InetSocketAddress freeAddress() throws IOException {
        InetAddress own = connect(listener(), Route.to(listener().address())).client().connection.localAddress().getAddress();
        try (ServerSocket free = new ServerSocket(0, 1, own)) {
            return new InetSocketAddress(own, free.getLocalPort());
        }
    }

    @Test
    void shouldConnectFromTheAddressThatTheRouteNames() throws IOException {
        InetSocketAddress local = freeAddress();
        Link link = connect(listener(), Route.to(listener().address()).from(local));
        assertEquals(local, link.client().connection.localAddress());
        assertEquals(local, link.server().connection.remoteAddress());
        link.exchange(1);
    }

    @Test
    void shouldPickAPortOfTheAddressThatTheRouteNames() throws IOException {
        InetAddress own = freeAddress().getAddress();
        Link link = connect(listener(), Route.to(listener().address()).from(new InetSocketAddress(own, 0)));
        InetSocketAddress local = link.client().connection.localAddress();
        assertEquals(own, local.getAddress());
        assertTrue(local.getPort() > 0, local::toString);
        assertEquals(local, link.server().connection.remoteAddress());
    }

    @Test
    void shouldFailToConnectFromAnAddressOfAnotherMachine() {
        // 203.0.113.0/24 and 2001:db8::/32 are for documentation (RFC 5737, RFC 3849): nobody has them.
        InetSocketAddress remote = listener().address();
        InetSocketAddress foreign = new InetSocketAddress(remote.getAddress() instanceof Inet6Address ? "2001:db8::1" : "203.0.113.1", 0);
        SystemException refused = assertThrows(SystemException.class, () -> {
            Connector connector = closeLater(client.connections().connector(Route.to(remote).from(foreign), LIMIT));
            connector.createQueuePair(client.domain, attributes(client));
            connector.connect(parameters(client), LIMIT);
        });
        assertTrue(refused.getMessage().contains(foreign.getAddress().getHostAddress()),
                () -> "the message should name the address: " + refused.getMessage());
    }

    /** A type of service cannot be seen from here: it stops nothing, at either end. */
    @Test
    void shouldConnectWithATypeOfService() {
        try (Listener listening = server.connections().listen(pair().listenAddress(), 8, SERVICE)) {
            connect(listening, Route.to(listening.address()).withTypeOfService(SERVICE)).exchange(1);
            connect(listening, Route.to(listening.address()).withTypeOfService(0)).exchange(2);
        }
        connect(listener(), Route.to(listener().address()).withTypeOfService(0xFF)).exchange(3);
    }

    @Test
    void shouldRefuseWhatIsNoTypeOfService() {
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(pair().listenAddress(), 8, 256));
        assertThrows(IllegalArgumentException.class, () -> server.connections().listen(pair().listenAddress(), 8, -2));
    }

    @Test
    void shouldConnectAndAcceptWithAnAcknowledgementTimeout() {
        assumeSupports(client.device, Capability.ACKNOWLEDGEMENT_TIMEOUT);
        assumeSupports(server.device, Capability.ACKNOWLEDGEMENT_TIMEOUT);
        connect(listener(), Route.to(listener().address()), parameters(client).withAcknowledgementTimeout(ACKNOWLEDGEMENT),
                parameters(server).withAcknowledgementTimeout(ACKNOWLEDGEMENT)).exchange(1);
    }

    @Test
    void shouldRefuseToConnectWithAnAcknowledgementTimeoutThatTheDeviceDoesNotHave() {
        Connector connector = connector();
        connector.createQueuePair(client.domain, attributes(client));
        assertRefuses(client.device, Capability.ACKNOWLEDGEMENT_TIMEOUT,
                () -> connector.connect(parameters(client).withAcknowledgementTimeout(ACKNOWLEDGEMENT), LIMIT));
    }

    @Test
    void shouldRefuseToAcceptWithAnAcknowledgementTimeoutThatTheDeviceDoesNotHave() {
        assumeLacks(server.device, Capability.ACKNOWLEDGEMENT_TIMEOUT);
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        ConnectionRequest request = listener().awaitRequest(LIMIT);
        request.createQueuePair(server.domain, attributes(server));
        assertRefuses(server.device, Capability.ACKNOWLEDGEMENT_TIMEOUT,
                () -> request.accept(parameters(server).withAcknowledgementTimeout(ACKNOWLEDGEMENT), LIMIT));
        // The request still waits for an answer.
        assertTrue(request.accept(parameters(server), LIMIT).isConnected());
        assertTrue(dialling.get().connection.isConnected());
    }
}

package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Capability;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.AllAddresses;

/** Source address, type of service and acknowledgement time-out, as they reach librdmacm: which option, which value, before which call. */
class ConnectionOptionsFaultsTest extends OnStubDevice {
    private static final InetSocketAddress SOURCE = new InetSocketAddress("127.0.0.3", 99);
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private static Connector connector(Verbs verbs, Route route) {
        Connector connector = ConnectionManager.of(verbs).connector(route, LIMIT);
        connector.createQueuePair(connector.device().allocateProtectionDomain(),
                QueuePairAttributes.of(connector.device().createCompletionQueue(8)));
        return connector;
    }

    @Test
    void shouldSetNothingThatNobodyAskedFor() {
        try (Verbs verbs = open()) {
            connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults(), LIMIT);
            ConnectionManager.of(verbs).listen(NOBODY, 1);
        }
        assertEquals("from any:0;route;connect;listen", StubDevice.traced());
    }

    @Test
    void shouldConnectFromTheAddressOfTheRoute() {
        try (Verbs verbs = open()) {
            assertEquals(SOURCE,
                    connector(verbs, Route.to(NOBODY).from(SOURCE)).connect(ConnectionParameters.defaults(), LIMIT).localAddress());
        }
        assertEquals("from 127.0.0.3:99;route;connect", StubDevice.traced());
    }

    @Test
    void shouldNameTheAddressThatIsNotThisMachines() {
        try (Verbs verbs = open()) {
            StubDevice.fail("rdma_resolve_addr", StubDevice.BY_ERRNO, Libc.EADDRNOTAVAIL());
            SystemException failure = assertThrows(SystemException.class, () -> connector(verbs, Route.to(NOBODY).from(SOURCE)));
            assertEquals(Libc.EADDRNOTAVAIL(), failure.errorNumber());
            String message = failure.getMessage();
            assertTrue(message.contains("to " + Route.text(NOBODY) + " from 127.0.0.3:99: rdma_resolve_addr: "), message);
            assertTrue(message.contains("no network interface of this machine has this address"), message);
        }
    }

    @Test
    void shouldSetTheTypeOfServiceBeforeTheRouteIsSought() {
        try (Verbs verbs = open()) {
            connector(verbs, Route.to(NOBODY).withTypeOfService(0xB8)).close();
            connector(verbs, Route.to(NOBODY).withTypeOfService(0)).close();
        }
        assertEquals("from any:0;option 0.0=184;route;from any:0;option 0.0=0;route", StubDevice.traced());
    }

    @Test
    void shouldSetTheTypeOfServiceOfAListenerBeforeItListens() {
        try (Verbs verbs = open()) {
            ConnectionManager.of(verbs).listen(NOBODY, 1, 255);
        }
        assertEquals("option 0.0=255;listen", StubDevice.traced());
    }

    @Test
    void shouldCloseWhatCannotHaveItsTypeOfService() {
        try (Verbs verbs = open()) {
            StubDevice.fail("rdma_set_option", StubDevice.BY_ERRNO, Libc.EINVAL());
            SystemException connecting = assertThrows(SystemException.class, () -> connector(verbs, Route.to(NOBODY).withTypeOfService(8)));
            assertTrue(connecting.getMessage().contains("with type of service 8: rdma_set_option: EINVAL"), connecting.getMessage());
            assertThrows(SystemException.class, () -> ConnectionManager.of(verbs).listen(NOBODY, 1, 8));
            assertEquals(0, StubDevice.live("id"), "identifiers");
        }
    }

    /** The value is the power of two by which 4.096 µs are multiplied. */
    @Test
    void shouldSetTheAcknowledgementTimeoutBeforeItConnects() {
        try (Verbs verbs = open()) {
            connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults().withAcknowledgementTimeout(TIMEOUT), LIMIT);
        }
        assertEquals("from any:0;route;option 0.3=15;connect", StubDevice.traced());
    }

    @Test
    void shouldSetTheAcknowledgementTimeoutBeforeItAccepts() {
        try (Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            StubDevice.raiseRequest(StubDevice.listener());
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            request.createQueuePair(request.device().allocateProtectionDomain(),
                    QueuePairAttributes.of(request.device().createCompletionQueue(8)));
            request.accept(ConnectionParameters.defaults().withAcknowledgementTimeout(TIMEOUT), LIMIT);
        }
        assertEquals("listen;option 0.3=15;accept", StubDevice.traced());
    }

    /** Code 14 is 1.28 ms, and 22 is 20.48 ms. The kernel's connection manager leaves code 0 there, which is 655.36 ms. */
    @Test
    void shouldSetTheReceiverNotReadyDelayOnceConnected() {
        try (Verbs verbs = open()) {
            connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults(), LIMIT);
            assertEquals(14, StubQueuePairs.lastDelay());
            connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults().withReceiverNotReadyDelay(Duration.ofMillis(20)),
                    LIMIT);
            assertEquals(22, StubQueuePairs.lastDelay());
        }
    }

    @ParameterizedTest
    @CsvSource({ "0, PT0.001S, 14", "0, PT0.02S, 22", "1, PT0.02S, -1" })
    void shouldSetTheReceiverNotReadyDelayOnceAccepted(int transport, Duration delay, int code) {
        StubDevice.setTransport(0, transport);
        try (Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            StubDevice.raiseRequest(StubDevice.listener());
            ConnectionRequest request = listener.awaitRequest(LIMIT);
            request.createQueuePair(request.device().allocateProtectionDomain(),
                    QueuePairAttributes.of(request.device().createCompletionQueue(8)));
            request.accept(ConnectionParameters.defaults().withReceiverNotReadyDelay(delay), LIMIT);
            assertEquals(code, StubQueuePairs.lastDelay());
        }
    }

    /** A connection without it is better than none. */
    @Test
    void shouldConnectEvenIfTheDriverKeepsItsReceiverNotReadyDelay() {
        try (Verbs verbs = open()) {
            StubDevice.fail("ibv_modify_qp", Libc.EINVAL(), 0, 0, 1);
            assertTrue(connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults(), LIMIT).isConnected());
            assertEquals(-1, StubQueuePairs.lastDelay());
        }
    }

    /** rdma_cm cannot let a peer wait. */
    @Test
    void shouldKeepMoreRequestsThanTheBacklog() {
        try (Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(NOBODY, 1);
            for (int i = 0; i < 100; i++) {
                StubDevice.raiseRequest(StubDevice.listener());
            }
            for (int i = 0; i < 100; i++) {
                listener.awaitRequest(LIMIT).close();
            }
            assertThrows(VerbsTimeoutException.class, () -> listener.awaitRequest(Duration.ZERO));
            listener.close();
            assertEquals(0, StubDevice.live("id"), "identifiers");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldListenOnAllAddressesOfEachFamily(String all) {
        try (Verbs verbs = open()) {
            Listener listener = ConnectionManager.of(verbs).listen(new InetSocketAddress(all, 4420), 1);
            assumeTrue(listener.address().getAddress() instanceof Inet6Address, "no IPv6 here");
            assertEquals("option 0.2=1;listen;listen", StubDevice.traced());
            StubDevice.raiseRequest(StubDevice.listener());
            assertEquals(AllAddresses.any(4), listener.awaitRequest(LIMIT).localAddress().getAddress());
            listener.close();
            StubDevice.fail("rdma_listen", StubDevice.BY_ERRNO, Libc.EADDRINUSE());
            assertThrows(SystemException.class, () -> ConnectionManager.of(verbs).listen(new InetSocketAddress(all, 4420), 1));
        }
        assertEquals(0, StubDevice.live("id"), "identifiers");
    }

    @Test
    void shouldSayThatTheKernelHasNoAcknowledgementTimeout() {
        try (Verbs verbs = open()) {
            StubDevice.fail("rdma_set_option", StubDevice.BY_ERRNO, Libc.ENOSYS());
            Connector connector = connector(verbs, Route.to(NOBODY));
            SystemException failure = assertThrows(SystemException.class,
                    () -> connector.connect(ConnectionParameters.defaults().withAcknowledgementTimeout(TIMEOUT), LIMIT));
            assertEquals(Libc.ENOSYS(), failure.errorNumber());
            assertTrue(failure.getMessage().contains("Linux 5.1"), failure.getMessage());
            assertEquals(0, StubDevice.live("id"), "identifiers");
        }
    }

    /** The kernel takes the option there, too, and does nothing with it. */
    @Test
    void shouldRefuseAnAcknowledgementTimeoutOnIwarp() {
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        try (Verbs verbs = open()) {
            Connector connector = connector(verbs, Route.to(NOBODY));
            assertFalse(connector.device().supports(Capability.ACKNOWLEDGEMENT_TIMEOUT));
            assertThrows(UnsupportedVerbException.class,
                    () -> connector.connect(ConnectionParameters.defaults().withAcknowledgementTimeout(TIMEOUT), LIMIT));
            connector.connect(ConnectionParameters.defaults(), LIMIT);
        }
        assertEquals("from any:0;route;connect", StubDevice.traced());
    }

    @ParameterizedTest
    @CsvSource({ "PT0.000000001S, 1", "PT0.000008192S, 1", "PT0.000008193S, 2", "PT1S, 18", "PT2H, 31" })
    void shouldRoundUpToAPowerOfTwo(Duration timeout, int exponent) {
        try (Verbs verbs = open()) {
            connector(verbs, Route.to(NOBODY)).connect(ConnectionParameters.defaults().withAcknowledgementTimeout(timeout), LIMIT);
        }
        assertEquals("from any:0;route;option 0.3=" + exponent + ";connect", StubDevice.traced());
    }
}

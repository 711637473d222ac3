package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** A client that connects to our listener and does not speak iWARP is dropped in time and logged, and all others go on. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class ForeignClientTest {
    private static final byte[] HTTP = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MANY = 1000;
    private static final int SOON_MILLIS = 200;
    private static final String SOON = Integer.toString(SOON_MILLIS);

    private final String transport;
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PrintStream error = System.err;
    private final List<Socket> sockets = new ArrayList<>();

    ForeignClientTest(String transport) {
        this.transport = transport;
    }

    @BeforeEach
    void catchLog() {
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void releaseLog() throws IOException {
        System.setErr(error);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket open(InetSocketAddress address, byte[] bytes) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        sockets.add(socket);
        socket.setSoTimeout((int) Host.LIMIT.toMillis());
        socket.getOutputStream().write(bytes);
        return socket;
    }

    /** Waits until the listener has closed it; a reset is as good. */
    private static void assertDropped(Socket socket) throws IOException {
        try {
            assertTrue(socket.getInputStream().read() < 0, "the listener has nothing to say to it");
        } catch (SocketException e) {
            assertTrue(e.getMessage().contains("reset"), e::toString);
        }
    }

    /** Waits until the log says something. */
    private void assertLogged(String text) {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (!log.toString(StandardCharsets.UTF_8).contains(text)) {
            assertTrue(System.nanoTime() - deadline < 0, () -> "the log lacks \"" + text + "\": " + log);
            Thread.onSpinWait();
        }
    }

    /** A good peer gets its Reply. On a busy machine its Request may come too late. Then another one comes. */
    private static void assertServesAGoodPeer(Host host) throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (!accepted.isDone()) {
            assertTrue(System.nanoTime() - deadline < 0, "no good peer is served");
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.get(accepted).connection.close();
            } catch (SocketException | AssertionError e) {
                // It was dropped.
            }
        }
    }

    private static void assertNobodyAsks(Host host) {
        assertThrows(VerbsTimeoutException.class, () -> host.listener.awaitRequest(Duration.ofMillis(20)));
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-b", "RFC5044-7.1.2-c,k", "RFC5044-8-d" })
    void shouldDropABrowserAtOnceAndLogWhatItSent() throws Exception {
        try (Host host = new Host(transport)) {
            Host.Pair bystander = host.connect();
            Socket socket = open(host.listener.address(), HTTP);
            assertDropped(socket);
            assertLogged("not an MPA peer: it began with \"GET / HTTP/1.1..");
            assertLogged("(47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a");
            assertLogged(":" + socket.getLocalPort() + ": ");
            assertNobodyAsks(host);
            host.exchange(bystander);
            host.exchange(host.connect());
        }
    }

    @Test
    @Requirement("RFC5044-7.1.2-n,r")
    void shouldDropASilentPeerAfterTheRequestTimeout() throws Exception {
        try (Host host = new Host(transport, "request-timeout", SOON); Host patient = new Host(transport)) {
            Host.Pair bystander = host.connect(patient);
            long start = System.nanoTime();
            Socket socket = open(host.listener.address(), new byte[0]);
            assertDropped(socket);
            long taken = System.nanoTime() - start;
            assertTrue(taken > TimeUnit.MILLISECONDS.toNanos(SOON_MILLIS * 9 / 10), "dropped after " + taken + " ns");
            assertLogged("sent only 0 bytes of an MPA Request");
            assertNobodyAsks(host);
            host.exchange(bystander);
        }
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-r", "RFC5044-7.1.2-o,r" })
    void shouldDropAPeerThatNeverFinishesItsRequest() throws Exception {
        try (Host host = new Host(transport, "request-timeout", SOON)) {
            String words = "sent only 23 bytes of an MPA Request";
            long deadline = System.nanoTime() + Host.LIMIT.toNanos();
            // On a busy machine the bytes may come too late. Then another peer comes.
            do {
                assertDropped(open(host.listener.address(), Arrays.copyOf(Forge.start(true, true, 1, 1), 23)));
            } while (!log.toString(StandardCharsets.UTF_8).contains(words) && System.nanoTime() - deadline < 0);
            assertLogged(words);
            assertNobodyAsks(host);
            assertServesAGoodPeer(host);
        }
    }

    @Test
    void shouldLogAPeerThatLeaves() throws Exception {
        try (Host host = new Host(transport)) {
            open(host.listener.address(), new byte[] { 'M', 'P' }).shutdownOutput();
            assertLogged("it closed the connection after 2 bytes");
            host.exchange(host.connect());
        }
    }

    @Test
    void shouldServeAGoodPeerAmongAThousandOthers() throws Exception {
        try (Host host = new Host(transport, "request-timeout", SOON); Host patient = new Host(transport)) {
            Host.Pair bystander = host.connect(patient);
            byte[] request = Forge.start(true, true, 1, 1);
            for (int i = 0; i < MANY; i++) {
                byte[] bytes = switch (i % 4) {
                    case 0 -> HTTP;
                    case 1 -> new byte[0];
                    case 2 -> Arrays.copyOf(request, i % request.length);
                    default -> new byte[] { (byte) i };
                };
                open(host.listener.address(), bytes);
            }
            assertServesAGoodPeer(host);
            host.exchange(bystander);
            for (Socket socket : sockets) {
                assertDropped(socket);
            }
            assertNobodyAsks(host);
            assertServesAGoodPeer(host);
        }
    }
}

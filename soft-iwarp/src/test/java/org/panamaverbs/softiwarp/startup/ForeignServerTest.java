package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** Connecting to what does not speak iWARP, or does so badly: an exception in time that says what is there, and nothing is left behind. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class ForeignServerTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final int REQUEST_SIZE = 24;
    private static final byte[] HTTP = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Host host;

    ForeignServerTest(String transport) {
        host = new Host(transport);
    }

    /** Whatever happened, the host still connects. */
    @AfterEach
    void close() throws Exception {
        try (host) {
            host.exchange(host.connect());
        }
    }

    private <E extends VerbsException> E assertFails(Class<E> type, Duration timeout, RawServer.Behaviour behaviour) throws IOException {
        try (RawServer server = new RawServer(behaviour)) {
            long start = System.nanoTime();
            E failure = assertThrows(type, () -> host.connect(server.address(), ConnectionParameters.defaults(), timeout));
            long taken = System.nanoTime() - start;
            assertTrue(taken < timeout.plus(Host.LIMIT).toNanos(), "it took " + taken + " ns");
            assertTrue(failure.getMessage().contains(Integer.toString(server.address().getPort())), failure.getMessage());
            return failure;
        }
    }

    /** Times out with words that say what came. On a busy machine nothing may have happened within a short time: then it gets longer. */
    private void assertTimesOut(String words, RawServer.Behaviour behaviour) throws IOException {
        Duration timeout = SHORT;
        String message = assertFails(VerbsTimeoutException.class, timeout, behaviour).getMessage();
        while (!message.contains(words) && timeout.compareTo(Host.LIMIT) < 0) {
            timeout = timeout.multipliedBy(4);
            message = assertFails(VerbsTimeoutException.class, timeout, behaviour).getMessage();
        }
        assertTrue(message.contains(words), message);
    }

    private static void dribble(Socket socket, byte[] bytes) throws IOException {
        for (byte each : bytes) {
            socket.getOutputStream().write(each);
        }
    }

    @Test
    void shouldKeepTheWordsOfTheSystemInTheCauseOfARefusal() throws IOException {
        InetSocketAddress deserted;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            deserted = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
        }
        SystemException refused = assertThrows(SystemException.class,
                () -> host.connect(deserted, ConnectionParameters.defaults(), Host.LIMIT));
        assertEquals(Route.text(deserted) + " refuses connections: is a server running there? (ECONNREFUSED)", refused.getMessage());
        assertEquals(Errno.ECONNREFUSED, refused.errorNumber());
        String words = refused.getCause().getMessage();
        assertTrue(words.contains(" - " + Route.text(deserted) + ": ") && words.contains("Connection refused"), words);
    }

    @Test
    @Requirement({ "RFC5044-7.1.1-d", "RFC5044-7.1.2-k", "RFC5044-8-a" })
    void shouldShowTheAnswerOfAWebServer() throws IOException {
        PeerException failure = assertFails(PeerException.class, Host.LIMIT, socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            socket.getOutputStream().write(HTTP);
            RawServer.read(socket, 1);
        });
        String text = failure.getMessage();
        assertTrue(text.contains("not an MPA peer") && text.contains("\"HTTP/1.1 400 Bad Req"), text);
        assertTrue(text.contains("48 54 54 50 2f 31 2e 31 20 34 30 30"), text);
    }

    @Test
    void shouldShowTheGreetingOfAServerThatSpeaksFirst() throws IOException {
        PeerException failure = assertFails(PeerException.class, Host.LIMIT, socket -> {
            socket.getOutputStream().write("SSH-2.0-OpenSSH\r\n".getBytes(StandardCharsets.US_ASCII));
            RawServer.read(socket, REQUEST_SIZE + 1);
        });
        assertTrue(failure.getMessage().contains("not an MPA peer: it answered with \"SSH-2.0-OpenSSH"), failure.getMessage());
    }

    @Test
    @Requirement("RFC5044-7.1.2-r")
    void shouldGiveUpOnAServerThatSendsNothing() throws IOException {
        assertTimesOut("no MPA Reply", socket -> RawServer.read(socket, REQUEST_SIZE + 1));
    }

    @Test
    @Requirement("RFC5044-7.1.2-r")
    void shouldGiveUpOnAServerThatSendsPartOfAReply() throws IOException {
        assertTimesOut("10 bytes", socket -> {
            socket.getOutputStream().write(Forge.start(false, true, 1, 1), 0, 10);
            RawServer.read(socket, REQUEST_SIZE + 1);
        });
    }

    @Test
    void shouldSayThatTheServerClosedAtOnce() throws IOException {
        PeerException failure = assertFails(PeerException.class, Host.LIMIT, socket -> RawServer.read(socket, REQUEST_SIZE));
        assertTrue(failure.getMessage().contains("not an MPA peer"), failure.getMessage());
    }

    @Test
    void shouldSayThatTheServerResetTheConnection() throws IOException {
        VerbsException failure = assertFails(VerbsException.class, Host.LIMIT, socket -> socket.setSoLinger(true, 0));
        assertTrue(failure.getMessage().contains("reset"), failure::toString);
    }

    @Test
    void shouldRefuseAWebServerThatDribbles() throws IOException {
        PeerException failure = assertFails(PeerException.class, Host.LIMIT, socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            dribble(socket, HTTP);
            RawServer.read(socket, 1);
        });
        assertTrue(failure.getMessage().contains("not an MPA peer: it answered with \"H"), failure.getMessage());
    }

    @Test
    @Requirement("RFC5044-7.1.2-o")
    void shouldRefuseAReplyWithTooMuchPrivateData() throws IOException {
        byte[] reply = Forge.start(false, true, 1, 1);
        reply[18] = (byte) 0xFF;
        PeerException failure = assertFails(PeerException.class, Host.LIMIT, socket -> {
            socket.getOutputStream().write(reply);
            RawServer.read(socket, REQUEST_SIZE + 1);
        });
        assertTrue(failure.getMessage().contains("65284 bytes of private data"), failure.getMessage());
    }

    /** RFC 5044, 7.1.1: CRCs are used if either frame asks for them, so the first FPDU has one. */
    @Test
    @Requirement({ "RFC5044-4.4-c", "RFC5044-7.1.1-k", "RFC5044-C.1-b" })
    void shouldKeepCrcsThatTheServerDoesNotAskFor() throws Exception {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        try (RawServer server = new RawServer(socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            socket.getOutputStream().write(Forge.start(false, false, 0x8003, 0x8004));
            first.complete(RawServer.read(socket, Forge.ready(true).length));
        })) {
            host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            assertArrayEquals(Forge.ready(true), Host.get(first));
        }
    }

    @Test
    @Requirement({ "RFC5040-6.1-c", "RFC5041-3-j,k", "RFC5044-7.2-a" })
    void shouldTakeAReplyThatDribbles() throws Exception {
        try (RawServer server = new RawServer(socket -> {
            RawServer.read(socket, REQUEST_SIZE);
            dribble(socket, Forge.start(false, true, 3, 4));
        })) {
            Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            assertEquals(3, end.connection.outboundReads());
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        }
    }
}

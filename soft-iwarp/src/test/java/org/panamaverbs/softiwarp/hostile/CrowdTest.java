package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.testing.Transports;

/** More peers than a listener serves at a time: who stays, who goes, and that a peer that means it gets in. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class CrowdTest {
    private static final byte[] REQUEST = Forge.start(true, true, 16, 16);
    /** Loopback has more than one address. */
    private static final String ANOTHER = "127.0.0.2";

    private final String transport;
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final PrintStream error = System.err;
    private final List<Socket> sockets = new ArrayList<>();

    CrowdTest(String transport) {
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

    private Socket open(InetSocketAddress address, String from, byte[] bytes) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(address);
        socket.setSoTimeout((int) Host.LIMIT.toMillis());
        socket.getOutputStream().write(bytes);
        return socket;
    }

    private Socket open(InetSocketAddress address, byte[] bytes) throws IOException {
        return open(address, InetAddress.getLoopbackAddress().getHostAddress(), bytes);
    }

    /** Whether the listener has closed it, or closes it soon; nothing else is to be heard of it. */
    private static boolean isDropped(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    private static boolean isOpen(Socket socket) throws IOException {
        socket.setSoTimeout(50);
        return !isDropped(socket);
    }

    private void assertLogged(String text) {
        long begin = System.nanoTime();
        while (!log.toString(StandardCharsets.UTF_8).contains(text)) {
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(), () -> "the log lacks \"" + text + "\": " + log);
            Thread.onSpinWait();
        }
    }

    /** Waits for the count: a peer is dropped before it is counted. */
    private static void assertRefused(long count, Host host) {
        awaitRefused(count, host);
        assertEquals(count, host.device.statistics().requestsRefused().getAsLong());
    }

    private static void awaitRefused(long count, Host host) {
        long begin = System.nanoTime();
        while (host.device.statistics().requestsRefused().getAsLong() < count) {
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(), () -> host.device.statistics().toString());
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldLetAGoodPeerInThoughSilentOnesHaveAllPlaces() throws Exception {
        int places = 8;
        int crowd = 50;
        try (Host host = new Host(transport, "start-ups", Integer.toString(places))) {
            Host.Pair bystander = host.connect();
            for (int i = 0; i < crowd; i++) {
                open(host.listener.address(), Arrays.copyOf(REQUEST, i % REQUEST.length));
            }
            for (Socket each : sockets.subList(0, crowd - places)) {
                assertTrue(isDropped(each), "an old one stays");
            }
            assertTrue(isOpen(sockets.getLast()));
            host.exchange(host.connect());
            host.exchange(bystander);
            // One more gave way to the good peer.
            assertRefused(crowd - places + 1, host);
            assertLogged("its MPA Request was not whole when the limit of " + places + " start-ups is reached");
        }
    }

    /** In one turn of the loop the new peer comes, and the one that gives way to it has sent something. */
    @Test
    void shouldLetAPeerGoThatHasJustSentSomething() throws Exception {
        try (Host host = new Host(transport, "start-ups", "1")) {
            Socket first = open(host.listener.address(), new byte[0]);
            awaitAttempts(host, 1);
            CountDownLatch end = new CountDownLatch(1);
            Inside.hold(host, end);
            open(host.listener.address(), new byte[0]);
            first.getOutputStream().write(REQUEST[0]);
            end.countDown();
            assertTrue(isDropped(first));
            host.exchange(host.connect());
            assertFalse(log.toString(StandardCharsets.UTF_8).contains("a turn of the event loop"), log::toString);
        }
    }

    @Test
    void shouldKeepAPeerToItsShareOfTheStartUps() throws Exception {
        try (Host host = new Host(transport, "start-ups-per-peer", "2")) {
            Socket bystander = open(host.listener.address(), ANOTHER, Arrays.copyOf(REQUEST, 3));
            for (int i = 0; i < 20; i++) {
                open(host.listener.address(), new byte[0]);
            }
            for (Socket each : sockets.subList(1, 19)) {
                assertTrue(isDropped(each));
            }
            assertTrue(isOpen(bystander));
            assertTrue(isOpen(sockets.getLast()));
            assertRefused(18, host);
        }
    }

    /** Of whole Requests, none gives way: the program has them, or is about to. */
    @Test
    void shouldRefuseAPeerIfTheProgramHasAllStartUps() throws Exception {
        try (Host host = new Host(transport, "start-ups", "3");
                Listener listener = host.connections.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10)) {
            for (int i = 0; i < 3; i++) {
                open(listener.address(), REQUEST);
            }
            List<AutoCloseable> requests = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                requests.add(listener.awaitRequest(Host.LIMIT));
            }
            assertTrue(isDropped(open(listener.address(), REQUEST)));
            assertLogged("the limit of 3 start-ups is reached");
            requests.getFirst().close();
            open(listener.address(), REQUEST);
            listener.awaitRequest(Host.LIMIT).close();
        }
    }

    @Test
    void shouldLetPeersWaitForWhichTheBacklogHasNoRoom() throws Exception {
        try (Host host = new Host(transport);
                Listener listener = host.connections.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4)) {
            for (int i = 0; i < 4; i++) {
                open(listener.address(), REQUEST);
                Inside.awaitRequests(listener, i + 1);
            }
            // These take no descriptor of this process, and no time of theirs runs.
            for (int i = 0; i < 16; i++) {
                open(listener.address(), i % 2 == 0 ? REQUEST : new byte[0]);
            }
            assertEquals(4, Inside.attempts(host));
            assertTrue(isOpen(sockets.getLast()));
            for (int i = 0; i < 4 + 8; i++) {
                listener.awaitRequest(Host.LIMIT).close();
            }
            // The last one is silent, and keeps no other out.
            open(listener.address(), REQUEST);
            listener.awaitRequest(Host.LIMIT).close();
            assertRefused(0, host);
        }
    }

    /** The limit of one peer is for the requests that the program has taken, too: those that wait are fewer. */
    @Test
    void shouldLetPeersWaitBeforeALimitOfStartUpsIsReached() throws Exception {
        try (Host host = new Host(transport, "start-ups-per-peer", "8");
                Listener listener = host.connections.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100)) {
            for (int i = 0; i < 4; i++) {
                open(listener.address(), REQUEST);
                Inside.awaitRequests(listener, i + 1);
            }
            for (int i = 0; i < 40; i++) {
                open(listener.address(), REQUEST);
            }
            for (int i = 0; i < 44; i++) {
                listener.awaitRequest(Host.LIMIT).close();
            }
            assertRefused(0, host);
        }
    }

    private static void awaitAttempts(Host host, int count) throws Exception {
        long begin = System.nanoTime();
        while (Inside.attempts(host) < count) {
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos());
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldLimitTheConnectionsOfAllPeers() throws Exception {
        // Both ends are here, but a listener counts its own alone.
        try (Host host = new Host(transport, "connections", "2")) {
            Host.Pair first = host.connect();
            Host.Pair second = host.connect();
            assertTrue(isDropped(open(host.listener.address(), REQUEST)));
            assertLogged("the limit of 2 connections is reached");
            host.exchange(first);
            host.exchange(second);
            first.client().connection.close();
            first.server().connection.close();
            // The loop gives the place back a little later.
            Inside.awaitDrivers(host, 2);
            host.exchange(host.connect());
        }
    }

    @Test
    void shouldLimitTheConnectionsOfOnePeer() throws Exception {
        try (Host host = new Host(transport, "connections-per-peer", "1")) {
            Host.Pair first = host.connect();
            assertTrue(isDropped(open(host.listener.address(), REQUEST)));
            assertLogged("the limit of 1 connections of one peer is reached");
            Socket other = open(host.listener.address(), ANOTHER, REQUEST);
            host.listener.awaitRequest(Host.LIMIT).close();
            assertTrue(isDropped(other));
            host.exchange(first);
            // An end that nobody asked for frees the place, too.
            first.client().connection.close();
            assertTrue(first.server().connection.awaitDisconnected(Host.LIMIT));
            Inside.awaitDrivers(host, 0);
            host.exchange(host.connect());
        }
    }

    /** A byte now and then does not prolong the time for a Request: all of them together take far longer than that time. */
    @Test
    void shouldDropAPeerThatDribblesItsRequest() throws Exception {
        try (Host host = new Host(transport, "request-timeout", "300"); Host patient = new Host(transport)) {
            Host.Pair bystander = host.connect(patient);
            long begin = System.nanoTime();
            Socket socket = open(host.listener.address(), new byte[0]);
            // With as much private data as there may be: this lasts for a minute.
            byte[] request = Arrays.copyOf(REQUEST, 20 + 512);
            request[18] = 2;
            request[19] = 0;
            socket.setSoTimeout(100);
            int sent = 0;
            boolean dropped = false;
            while (!dropped && sent < request.length - 1) {
                try {
                    socket.getOutputStream().write(request[sent++]);
                    dropped = socket.getInputStream().read() < 0;
                } catch (SocketTimeoutException e) {
                    // The pause between two bytes.
                } catch (SocketException e) {
                    dropped = true;
                }
            }
            assertTrue(dropped, "it still listens after " + sent + " bytes");
            long taken = System.nanoTime() - begin;
            assertTrue(taken > 270_000_000L, "dropped after " + taken + " ns");
            assertLogged(" bytes of an MPA Request in time");
            host.exchange(bystander);
        }
    }

    /** Whatever strangers do, the log has a few lines of it: 10 of a kind in 10 s, and then how many more there were. */
    @Test
    void shouldLogAFewOfManyBadPeers() throws Exception {
        int crowd = 300;
        try (Host host = new Host(transport)) {
            long begin = System.nanoTime();
            for (int i = 0; i < crowd; i++) {
                try (Socket socket = new Socket()) {
                    socket.setSoLinger(true, 0);
                    socket.connect(host.listener.address());
                    socket.getOutputStream().write(i % 2 == 0 ? new byte[] { 'x' } : Forge.payload(40));
                }
            }
            awaitRefused(crowd, host);
            long taken = System.nanoTime() - begin;
            long lines = log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("refused a peer")).count();
            assertTrue(lines >= 1 && lines <= 10 * (2 + taken / 10_000_000_000L), lines + " lines: " + log);
        }
    }
}

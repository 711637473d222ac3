package org.panamaverbs.ddp.transport.sctp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.sctp.SctpSegments;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/** Associations of the system's SCTP, and DDP over them; where there is SCTP. One thread runs both sides. */
class SctpTransportTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Arena arena = Arena.ofShared();
    private final List<MessageChannel> channels = new ArrayList<>();
    private NioMultiplexer multiplexer;
    private SctpTransport transport;
    private Acceptor<MessageChannel> acceptor;
    private MessageChannel client;
    private MessageChannel server;
    private int events;

    @BeforeEach
    void open() {
        Optional<String> obstacle = SctpAvailability.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> "SCTP does not work here: " + obstacle.get());
        multiplexer = new NioMultiplexer();
        transport = new SctpTransport(multiplexer);
    }

    @AfterEach
    void close() {
        if (multiplexer != null) {
            channels.forEach(MessageChannel::close);
            if (acceptor != null) {
                acceptor.close();
            }
            multiplexer.select(0);
            multiplexer.close();
        }
        arena.close();
    }

    /** Runs the loop until a condition holds; a lost edge makes it hang until the time-out of the test. */
    private void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            multiplexer.select(SECOND / 10);
        }
    }

    private <C extends MessageChannel> C watch(C channel, Multiplexer.Handler handler) {
        channels.add(channel);
        transport.add(channel, handler);
        return channel;
    }

    private void connect(String host, int streams) {
        acceptor = transport.listen(new InetSocketAddress(host, 0), 4, streams);
        transport.add(acceptor, ready -> {
            MessageChannel peer = acceptor.accept();
            while (peer != null) {
                // Its events only wake the loop, after each turn of which a test does what it can.
                server = watch(peer, serverEvents -> {
                });
                peer = acceptor.accept();
            }
        });
        client = watch(transport.connect(Route.to(acceptor.address()), streams), ready -> events |= ready);
        until(() -> client.finishConnect() != 0 && server != null);
        assertEquals(1, client.finishConnect());
    }

    private MemorySegment message(int length) {
        MemorySegment message = arena.allocate(length);
        for (int i = 0; i < length; i++) {
            message.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
        }
        return message;
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "::1" })
    void shouldBindOneAddressAndAgreeOnStreams(String host) {
        connect(host, 5);
        assertEquals(acceptor.address(), client.remoteAddress());
        assertEquals(acceptor.address().getAddress(), client.localAddress().getAddress());
        assertEquals(client.localAddress(), server.remoteAddress());
        assertEquals(5, client.streams());
        assertEquals(5, server.streams());
        assertTrue(client.mtu() >= 16_384, "the loopback interface");
    }

    @Test
    void shouldKeepMessagesApart() {
        connect("127.0.0.1", 3);
        MemorySegment into = arena.allocate(SctpSegments.LONGEST_MESSAGE);
        int[] lengths = { 1, 2, 1500, 4, 40_000 };
        for (int i = 0; i < lengths.length; i++) {
            int length = lengths[i];
            int stream = i % 3;
            int protocol = 16 + i % 2;
            assertEquals(1, client.send(message(length), length, stream, protocol));
            int[] count = new int[1];
            until(() -> (count[0] = server.receive(into)) != 0);
            assertEquals(length, count[0]);
            assertEquals(stream, server.stream());
            assertEquals(protocol, server.protocol());
            assertTrue(server.isUnordered());
            assertEquals(-1, into.asSlice(0, length).mismatch(message(length)));
        }
        assertThrows(IllegalArgumentException.class, () -> client.send(message(4), 4, 3, 16));
    }

    @Test
    void shouldSkipTheRestOfAMessageThatIsTooLong() {
        connect("127.0.0.1", 1);
        client.send(message(1000), 1000, 0, 16);
        client.send(message(7), 7, 0, 17);
        MemorySegment into = arena.allocate(100);
        int[] count = new int[1];
        until(() -> (count[0] = server.receive(into)) != 0);
        assertEquals(MessageChannel.TOO_LONG, count[0]);
        until(() -> (count[0] = server.receive(into)) != 0);
        assertEquals(7, count[0]);
        assertEquals(17, server.protocol());
    }

    @Test
    void shouldReportRoomAfterBackPressure() {
        connect("127.0.0.1", 1);
        MemorySegment message = message(30_000);
        int sent = 0;
        while (client.send(message, 30_000, 0, 16) == 1) {
            sent++;
        }
        assertTrue(sent > 0);
        events = 0;
        MemorySegment into = arena.allocate(SctpSegments.LONGEST_MESSAGE);
        int[] received = new int[1];
        until(() -> {
            while (server.receive(into) > 0) {
                received[0]++;
            }
            return (events & Multiplexer.WRITABLE) != 0;
        });
        assertEquals(1, client.send(message, 30_000, 0, 16));
        int all = sent + 1;
        until(() -> {
            while (server.receive(into) > 0) {
                received[0]++;
            }
            return received[0] == all;
        });
    }

    @Test
    void shouldReceiveEverythingBeforeTheEnd() {
        connect("127.0.0.1", 1);
        client.send(message(10), 10, 0, 16);
        client.shutdown();
        MemorySegment into = arena.allocate(100);
        int[] count = new int[1];
        until(() -> (count[0] = server.receive(into)) != 0);
        assertEquals(10, count[0]);
        until(() -> (count[0] = server.receive(into)) != 0);
        assertEquals(MessageChannel.END_OF_ASSOCIATION, count[0]);
        until(() -> (count[0] = client.receive(into)) != 0);
        assertEquals(MessageChannel.END_OF_ASSOCIATION, count[0]);
    }

    @Test
    void shouldReportAnAbort() {
        connect("127.0.0.1", 1);
        client.abort();
        MemorySegment into = arena.allocate(100);
        int[] count = new int[1];
        until(() -> (count[0] = server.receive(into)) != 0);
        assertEquals(MessageChannel.BROKEN, count[0]);
        String message = server.failure().getMessage();
        assertTrue(message.contains(Route.text(client.localAddress())), message);
        assertInstanceOf(ClosedException.class, client.failure());
    }

    @Test
    void shouldNameAPeerThatRefuses() {
        Acceptor<MessageChannel> gone = transport.listen(new InetSocketAddress("127.0.0.1", 0), 1, 1);
        gone.close();
        multiplexer.select(0);
        client = watch(transport.connect(Route.to(gone.address()), 1), ready -> events |= ready);
        until(() -> client.finishConnect() != 0);
        assertEquals(MessageChannel.BROKEN, client.finishConnect());
        assertTrue(client.failure().getMessage().contains("no program listens there"), client.failure()::getMessage);
    }

    @Test
    void shouldNameAnAddressThatIsInUseOrNotHere() {
        acceptor = transport.listen(new InetSocketAddress("127.0.0.1", 0), 1, 1);
        SystemException used = assertThrows(SystemException.class, () -> transport.listen(acceptor.address(), 1, 1));
        assertTrue(used.getMessage().contains("another socket has this address"), used::getMessage);
        assertThrows(SystemException.class, () -> transport.listen(new InetSocketAddress("203.0.113.77", 0), 1, 1));
    }

    private DdpSide[] sides(Random random, boolean activeEnds, int mulpdu) {
        DdpSide active = new DdpSide(client, true, activeEnds, mulpdu, arena, random);
        DdpSide passive = new DdpSide(server, false, !activeEnds, mulpdu, arena, random);
        return new DdpSide[] { active, passive };
    }

    private void run(DdpSide active, DdpSide passive) {
        until(() -> {
            active.run();
            passive.run();
            return active.session.isOver() && passive.session.isOver();
        });
    }

    private static void check(DdpSide sender, DdpSide receiver, long seed) {
        assertEquals(Session.State.ENDED, sender.session.state(), "seed " + seed);
        assertEquals(sender.expected, receiver.delivered, "seed " + seed);
        assertEquals(-1, sender.model.mismatch(receiver.region), "seed " + seed);
        assertTrue(receiver.reader.isAtBoundary());
    }

    /** Both roles, both ways at once, and either side's Terminate first. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldCarryDdpBothWays(boolean activeEnds) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        connect("127.0.0.1", 1);
        DdpSide[] sides = sides(random, activeEnds, SctpSegments.mulpdu(client.mtu(), false));
        sides[0].plan(200, random);
        sides[1].plan(200, random);
        run(sides[0], sides[1]);
        check(sides[0], sides[1], seed);
        check(sides[1], sides[0], seed);
        assertArrayEquals(new byte[] { 4, 5 }, sides[0].session.peerData());
        assertArrayEquals(new byte[] { 1, 2, 3 }, sides[1].session.peerData());
    }

    @Test
    void shouldRejectASession() {
        connect("127.0.0.1", 1);
        DdpSide[] sides = sides(new Random(1), true, 1000);
        sides[1].accepts = false;
        until(() -> {
            sides[0].run();
            sides[1].run();
            if (sides[1].session.state() == Session.State.REQUESTED) {
                ((PassiveSession) sides[1].session).reject(new byte[] { 9 });
            }
            return sides[0].session.isOver();
        });
        assertEquals(Session.State.REJECTED, sides[0].session.state());
        assertArrayEquals(new byte[] { 9 }, sides[0].session.peerData());
    }

    /** A network that loses and reorders packets: only the lab lets a test make one ({@code -Dsctp.network=DEVICE,ADDRESS}). */
    @Test
    void shouldPlaceAheadAndDeliverInOrderOverABadNetwork() throws Exception {
        String network = System.getProperty("sctp.network");
        assumeTrue(network != null, "needs a network that may be made bad: -Dsctp.network=DEVICE,ADDRESS");
        String device = network.split(",")[0];
        tc("qdisc", "add", "dev", device, "root", "netem", "delay", "3ms", "2ms", "loss", "2%", "reorder", "20%");
        try {
            long seed = System.nanoTime();
            Random random = new Random(seed);
            connect(network.split(",")[1], 1);
            DdpSide[] sides = sides(random, true, SctpSegments.mulpdu(1500, false));
            sides[0].plan(150, random);
            sides[1].plan(150, random);
            run(sides[0], sides[1]);
            check(sides[0], sides[1], seed);
            check(sides[1], sides[0], seed);
            long ahead = sides[0].reader.placedAhead() + sides[1].reader.placedAhead();
            long waited = sides[0].reader.waited() + sides[1].reader.waited();
            System.out.println("sctp: " + (sides[0].received + sides[1].received) + " messages over a bad network, " + ahead
                    + " placed ahead of their turn, " + waited + " kept");
            assertTrue(ahead > 0 && waited > 0, ahead + " placed ahead, " + waited + " kept");
        } finally {
            tc("qdisc", "del", "dev", device, "root");
        }
    }

    private static void tc(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("tc"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertEquals(0, process.waitFor(), () -> String.join(" ", command));
    }
}

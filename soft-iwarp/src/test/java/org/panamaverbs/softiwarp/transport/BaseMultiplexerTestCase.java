package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.memory.IoVector;

/** The contract of every kind of multiplexer, whatever is underneath. */
public abstract class BaseMultiplexerTestCase {
    private static final long SEED = Long.getLong("panamaverbs.test.seed", 20261121);
    /** Expedited forwarding (RFC 3246). */
    protected static final int SERVICE = 0xB8;

    private static final long MOMENT_NANOS = 20_000_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Random random = new Random(SEED);
    protected Multiplexer multiplexer;
    protected Arena arena;

    protected abstract Multiplexer open();

    @BeforeEach
    protected void openMultiplexer() {
        multiplexer = open();
        arena = Arena.ofShared();
    }

    @AfterEach
    void closeMultiplexer() {
        multiplexer.close();
        arena.close();
    }

    @Test
    void shouldConnectAndAccept() {
        AtomicBoolean peerWaits = new AtomicBoolean();
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        multiplexer.add(acceptor, events -> peerWaits.set((events & Multiplexer.READABLE) != 0));
        assertNull(acceptor.accept());
        Channel client = multiplexer.connect(acceptor.address());
        AtomicBoolean writable = new AtomicBoolean();
        multiplexer.add(client, events -> writable.compareAndSet(false, (events & Multiplexer.WRITABLE) != 0));
        while (!peerWaits.get() || !writable.get()) {
            multiplexer.select(-1);
        }
        assertEquals(1, client.finishConnect());
        Channel server = acceptor.accept();
        assertNull(acceptor.accept());
        assertNotEquals(0, acceptor.address().getPort());
        assertEquals(acceptor.address(), client.remoteAddress());
        assertEquals(acceptor.address(), server.localAddress());
        assertEquals(client.localAddress(), server.remoteAddress());
        assertTrue(client.segmentSize() >= 536, () -> "segment size " + client.segmentSize());
        client.close();
        server.close();
        acceptor.close();
    }

    /** All of 127.0.0.0/8 is this machine's on Linux, and the system chooses 127.0.0.1 if it is not asked for another. */
    @Test
    void shouldConnectFromTheAddressOfTheRoute() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1);
        InetSocketAddress local = new InetSocketAddress("127.0.0.2", 0);
        Channel client = multiplexer.connect(Route.to(acceptor.address()).from(local).withTypeOfService(SERVICE));
        Channel server = null;
        while (client.finishConnect() == 0 || server == null) {
            server = server == null ? acceptor.accept() : server;
        }
        assertEquals(1, client.finishConnect());
        assertEquals(local.getAddress(), client.localAddress().getAddress());
        assertNotEquals(0, client.localAddress().getPort());
        assertEquals(client.localAddress(), server.remoteAddress());
        client.close();
        server.close();
        acceptor.close();
    }

    /** As a listener of the JDK: a peer of IPv4 has an address of IPv4, and no other listener gets the port. */
    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldListenOnAllAddressesOfBothFamilies(String all) {
        Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress(all, 0), 4, SERVICE);
        int port = acceptor.address().getPort();
        assumeTrue(acceptor.address().getAddress() instanceof Inet6Address, "no IPv6 here");
        for (String host : new String[] { "127.0.0.1", "::1" }) {
            InetSocketAddress address = new InetSocketAddress(host, port);
            Channel client = multiplexer.connect(address);
            Channel server = null;
            while (client.finishConnect() == 0 || server == null) {
                server = server == null ? acceptor.accept() : server;
            }
            assertEquals(1, client.finishConnect());
            assertEquals(address, server.localAddress());
            assertEquals(client.localAddress(), server.remoteAddress());
            client.close();
            server.close();
        }
        for (String other : new String[] { "0.0.0.0", "::" }) {
            assertThrows(SystemException.class, () -> multiplexer.listen(new InetSocketAddress(other, port), 4));
        }
        acceptor.close();
    }

    @Test
    void shouldTellOfPeersThatCameBeforeTheHandler() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        Channel client = multiplexer.connect(acceptor.address());
        AtomicBoolean peerWaits = new AtomicBoolean();
        multiplexer.add(acceptor, events -> peerWaits.set(true));
        while (!peerWaits.get()) {
            multiplexer.select(-1);
        }
        Channel server = acceptor.accept();
        server.close();
        client.close();
        acceptor.close();
    }

    @Test
    void shouldTellThatNobodyListens() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1);
        InetSocketAddress address = acceptor.address();
        acceptor.close();
        VerbsException failure = assertThrows(VerbsException.class, () -> {
            Channel channel = multiplexer.connect(address);
            try {
                multiplexer.add(channel, events -> {
                });
                while (channel.finishConnect() == 0) {
                    multiplexer.select(-1);
                }
                assertEquals(Channel.BROKEN, channel.finishConnect());
                throw channel.failure();
            } finally {
                channel.close();
            }
        });
        assertInstanceOf(SystemException.class, failure);
        assertTrue(failure.getMessage().contains(Route.text(address)), failure.getMessage());
        assertTrue(failure.getMessage().toLowerCase(Locale.ROOT).contains("refused"), failure.getMessage());
    }

    @Test
    void shouldRefuseAnAddressInUseAndFreeItOnClose() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1);
        InetSocketAddress address = acceptor.address();
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.listen(address, 1));
        assertTrue(failure.getMessage().contains(Route.text(address)), failure.getMessage());
        assertTrue(failure.getMessage().contains("in use"), failure.getMessage());
        acceptor.close();
        Acceptor<Channel> watched = multiplexer.listen(address, 1);
        multiplexer.add(watched, events -> {
            // Nobody connects.
        });
        multiplexer.select(0);
        watched.close();
        multiplexer.listen(address, 1).close();
    }

    /** The selection that frees the port must not lose what it met. */
    @Test
    void shouldTellOfPeersThatCameBeforeAnotherPortClosed() {
        Acceptor<Channel> closing = multiplexer.listen(Peers.loopback(0), 1);
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1);
        AtomicBoolean peerWaits = new AtomicBoolean();
        multiplexer.add(closing, events -> {
            // Nobody connects.
        });
        multiplexer.add(acceptor, events -> peerWaits.set(true));
        multiplexer.select(0);
        Channel client = multiplexer.connect(acceptor.address());
        while (client.finishConnect() == 0) {
            Thread.onSpinWait();
        }
        multiplexer.wakeUp();
        closing.close();
        while (!peerWaits.get()) {
            multiplexer.select(-1);
        }
        client.close();
        acceptor.close();
    }

    @Test
    void shouldRefuseAnUnresolvedAddress() {
        InetSocketAddress address = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThrows(IllegalArgumentException.class, () -> multiplexer.connect(address));
        assertThrows(IllegalArgumentException.class, () -> multiplexer.listen(address, 1));
    }

    @Test
    void shouldReadWhatIsThereAndNothingElse() {
        try (Peers peers = Peers.connect(multiplexer)) {
            MemorySegment sink = arena.allocate(16);
            assertEquals(0, peers.server.channel.read(Peers.vector(sink)));
            peers.write(peers.client, Peers.vector(Peers.text(arena, "hello")));
            assertEquals(5, peers.read(peers.server, Peers.vector(sink)));
            assertEquals("hello", Peers.text(sink.asSlice(0, 5)));
            assertEquals(0, sink.get(ValueLayout.JAVA_BYTE, 5));
            assertEquals(0, peers.server.channel.read(Peers.vector(sink)));
        }
    }

    @Test
    void shouldScatterAndGatherMorePartsAndSegmentsThanOneCallTakes() {
        List<MemorySegment> sources = new ArrayList<>();
        List<MemorySegment> sinks = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            sources.add(randomSegment(4096));
            sinks.add(arena.allocate(4096));
        }
        IoVector from = new IoVector(600);
        IoVector into = new IoVector(600);
        MemorySegment expected = arena.allocate(1 << 20);
        long total = 0;
        for (int i = 0; i < 600; i++) {
            MemorySegment source = sources.get(random.nextInt(7));
            long length = 1 + random.nextInt(50);
            long offset = random.nextInt(4000);
            assertTrue(from.add(source, offset, length));
            MemorySegment.copy(source, offset, expected, total, length);
            total += length;
        }
        // Every part lies in another segment than the one before, and none overlaps another.
        List<MemorySegment> order = new ArrayList<>();
        long[] fill = new long[7];
        for (long left = total; left > 0;) {
            int which = order.size() % 7;
            long length = Math.min(left, 29);
            assertTrue(into.add(sinks.get(which), fill[which], length));
            order.add(sinks.get(which).asSlice(fill[which], length));
            fill[which] += length;
            left -= length;
        }
        try (Peers peers = Peers.connect(multiplexer)) {
            peers.transfer(from, into);
        }
        long at = 0;
        for (MemorySegment part : order) {
            assertEquals(-1, part.mismatch(expected.asSlice(at, part.byteSize())), "part at " + at);
            at += part.byteSize();
        }
    }

    @Test
    void shouldKeepOrderAndContentUnderBackPressure() {
        int size = 8 << 20;
        MemorySegment source = randomSegment(size);
        MemorySegment sink = arena.allocate(size);
        try (Peers peers = Peers.connect(multiplexer)) {
            long sent = 0;
            long received = 0;
            IoVector from = new IoVector(100);
            IoVector into = new IoVector(100);
            boolean blocked = false;
            boolean fresh = true;
            while (received < size) {
                // The sender goes until it is stopped; then the receiver takes some.
                peers.client.writable |= sent == 0;
                while (peers.client.writable && sent < size) {
                    if (fresh) {
                        randomVector(from, source, sent, size);
                    }
                    long count = peers.client.channel.write(from);
                    assertTrue(count >= 0, "write returned " + count);
                    peers.client.writable = count == from.bytes();
                    blocked |= !peers.client.writable;
                    from.consume(count);
                    fresh = from.bytes() == 0;
                    sent += count;
                }
                if (peers.server.readable) {
                    randomVector(into, sink, received, size);
                    long count = peers.server.channel.read(into);
                    assertTrue(count >= 0, "read returned " + count);
                    peers.server.readable = count == into.bytes();
                    received += count;
                } else {
                    peers.await(() -> peers.server.readable || peers.client.writable);
                }
                multiplexer.select(0);
            }
            assertTrue(blocked, "nothing held the sender back");
        }
        assertEquals(-1, source.mismatch(sink));
    }

    @Test
    void shouldLoseNoEdgeBetweenThreads() throws InterruptedException {
        long total = 64L << 20;
        int period = 1 << 20;
        MemorySegment pattern = randomSegment(2 * period);
        MemorySegment.copy(pattern, 0, pattern, period, period);
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            Edges readable = new Edges();
            Edges writable = new Edges();
            multiplexer.add(peers.client.channel, events -> writable.report(events & Multiplexer.WRITABLE));
            multiplexer.add(peers.server.channel, events -> readable.report(events & Multiplexer.READABLE));
            Task writer = Task.start(() -> {
                IoVector from = new IoVector(8);
                Random shapes = new Random(SEED + 1);
                for (long sent = 0; sent < total;) {
                    int seen = writable.seen();
                    if (from.bytes() == 0) {
                        long wanted = Math.min(total - sent, 1 + shapes.nextInt(1 << (4 + shapes.nextInt(14))));
                        from.clear();
                        from.add(pattern, sent % period, wanted);
                    }
                    long count = peers.client.channel.write(from);
                    assertTrue(count >= 0, "write returned " + count);
                    sent += count;
                    from.consume(count);
                    if (from.bytes() > 0) {
                        writable.awaitOther(seen);
                    }
                }
            });
            Task reader = Task.start(() -> {
                IoVector into = new IoVector(8);
                Random shapes = new Random(SEED + 2);
                MemorySegment sink = arena.allocate(period);
                for (long received = 0; received < total;) {
                    int seen = readable.seen();
                    long wanted = 2 + shapes.nextInt(1 << (4 + shapes.nextInt(14)));
                    into.clear();
                    into.add(sink, 0, wanted / 2);
                    into.add(sink, wanted, wanted - wanted / 2);
                    long count = peers.server.channel.read(into);
                    assertTrue(count >= 0, "read returned " + count);
                    long first = Math.min(count, wanted / 2);
                    assertEquals(-1, mismatch(sink, 0, pattern, received % period, first));
                    assertEquals(-1, mismatch(sink, wanted, pattern, (received + first) % period, count - first));
                    received += count;
                    if (count < wanted && received < total) {
                        readable.awaitOther(seen);
                    }
                }
            });
            while (writer.isAlive() || reader.isAlive()) {
                multiplexer.select(10_000_000);
                // If one has failed, the other waits for it.
                writer.check();
                reader.check();
            }
            writer.join();
            reader.join();
        }
    }

    /** The peer can wake this side though it has ended its own direction. */
    @Test
    void shouldTellOfRoomAfterThePeerHasEndedItsDirection() {
        try (Peers peers = Peers.connect(multiplexer)) {
            IoVector much = Peers.vector(arena.allocate(1 << 20));
            while (peers.client.channel.write(much) == much.bytes()) {
                Thread.onSpinWait();
            }
            peers.server.channel.shutdownOutput();
            IoVector none = Peers.vector(arena.allocate(1));
            assertEquals(Channel.END_OF_STREAM, peers.read(peers.client, none));
            for (int i = 0; i < 3; i++) {
                multiplexer.select(MOMENT_NANOS);
            }
            peers.client.writable = false;
            long begin = System.nanoTime();
            while (!peers.client.writable && System.nanoTime() - begin < PATIENCE_NANOS) {
                while (peers.server.channel.read(much) > 0) {
                    Thread.onSpinWait();
                }
                multiplexer.select(MOMENT_NANOS);
            }
            assertTrue(peers.client.writable, "nobody wakes the writer, though there is room");
        }
    }

    @Test
    void shouldGoOnReadingAfterThePeerHasEndedItsDirectionOnly() {
        try (Peers peers = Peers.connect(multiplexer)) {
            MemorySegment sink = arena.allocate(8);
            peers.write(peers.client, Peers.vector(Peers.text(arena, "abc")));
            peers.client.channel.shutdownOutput();
            assertEquals(3, peers.read(peers.server, Peers.vector(sink)));
            assertEquals(Channel.END_OF_STREAM, peers.read(peers.server, Peers.vector(sink)));
            peers.write(peers.server, Peers.vector(Peers.text(arena, "defg")));
            assertEquals(4, peers.read(peers.client, Peers.vector(sink)));
            assertEquals("defg", Peers.text(sink.asSlice(0, 4)));
            assertEquals(Channel.BROKEN, peers.client.channel.write(Peers.vector(sink)));
        }
    }

    @Test
    void shouldTellTheEndOfAStreamThatCameWithItsLastBytes() {
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            MemorySegment sink = arena.allocate(8);
            assertEquals(3, peers.client.channel.write(Peers.vector(Peers.text(arena, "abc"))));
            peers.client.channel.close();
            // One edge tells of both; a reader that keeps to the rule waits for another after its short read.
            multiplexer.add(peers.server.channel, peers.server::onReady);
            assertEquals(3, peers.read(peers.server, Peers.vector(sink)));
            assertEquals(Channel.END_OF_STREAM, peers.read(peers.server, Peers.vector(sink)));
        }
    }

    @Test
    void shouldBreakTheStreamOfOneWhosePeerClosedWithBytesUnread() {
        try (Peers peers = Peers.connect(multiplexer)) {
            peers.write(peers.client, Peers.vector(arena.allocate(1000)));
            // They have arrived once there is an edge.
            peers.await(() -> peers.server.readable);
            peers.server.channel.close();
            assertBreaks(peers, peers.client);
            VerbsException failure = peers.client.channel.failure();
            assertInstanceOf(SystemException.class, failure);
            assertTrue(failure.getMessage().contains(Route.text(peers.client.channel.remoteAddress())), failure.getMessage());
        }
    }

    @Test
    void shouldTellBrokenAndNotDieWhenWritingToAPeerThatHasClosed() {
        try (Peers peers = Peers.connect(multiplexer)) {
            peers.server.channel.close();
            assertBreaks(peers, peers.client);
            assertEquals(Channel.BROKEN, peers.client.channel.write(Peers.vector(arena.allocate(1))));
        }
    }

    /** TCP may take a write or two before the peer's answer comes; with every answer comes an edge. */
    private void assertBreaks(Peers peers, Peers.End end) {
        IoVector vector = Peers.vector(arena.allocate(1));
        long result;
        do {
            result = end.channel.write(vector);
            multiplexer.select(1_000_000);
        } while (result >= 0);
        assertEquals(Channel.BROKEN, result);
    }

    @Test
    void shouldDoNothingOnceClosed() {
        try (Peers peers = Peers.connect(multiplexer)) {
            Channel channel = peers.client.channel;
            channel.close();
            channel.close();
            IoVector vector = Peers.vector(arena.allocate(1));
            assertEquals(Channel.BROKEN, channel.read(vector));
            assertEquals(Channel.BROKEN, channel.write(vector));
            channel.shutdownOutput();
            assertTrue(channel.failure().getMessage().contains("closed"), channel.failure().getMessage());
            MemorySegment sink = arena.allocate(1);
            assertEquals(Channel.END_OF_STREAM, peers.read(peers.server, Peers.vector(sink)));
        }
    }

    /** The bytes come before the channel moves, so the old multiplexer may have their edge. */
    @Test
    void shouldMoveAChannelToAnotherMultiplexer() {
        try (Multiplexer next = open(); Peers peers = Peers.connectOnly(multiplexer)) {
            Channel channel = peers.server.channel;
            AtomicLong old = new AtomicLong();
            multiplexer.add(channel, events -> old.incrementAndGet());
            peers.client.channel.write(Peers.vector(arena.allocate(1)));
            multiplexer.remove(channel);
            AtomicBoolean readable = new AtomicBoolean();
            next.add(channel, events -> readable.compareAndSet(false, (events & Multiplexer.READABLE) != 0));
            while (!readable.get()) {
                next.select(-1);
            }
            MemorySegment sink = arena.allocate(2);
            assertEquals(1, channel.read(Peers.vector(sink)));
            readable.set(false);
            peers.client.channel.write(Peers.vector(arena.allocate(1)));
            while (!readable.get()) {
                next.select(-1);
            }
            assertEquals(1, channel.read(Peers.vector(sink)));
            multiplexer.select(0);
            multiplexer.select(1_000_000);
            assertEquals(0, old.get(), "the old multiplexer still reports events");
            channel.close();
            next.select(0);
        }
    }

    @Test
    void shouldNotTellAHandlerOfAClosedChannel() {
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            AtomicLong calls = new AtomicLong();
            multiplexer.add(peers.server.channel, events -> calls.incrementAndGet());
            peers.client.channel.write(Peers.vector(arena.allocate(1)));
            peers.server.channel.close();
            multiplexer.select(0);
            multiplexer.select(1_000_000);
            assertEquals(0, calls.get());
        }
    }

    /** Both are ready in one selection, and the handler of the first one, whichever that is, closes the other. */
    @Test
    void shouldNotTellAHandlerOfAChannelThatTheHandlerBeforeItHasClosed() {
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            AtomicLong calls = new AtomicLong();
            multiplexer.add(peers.client.channel, events -> {
                calls.incrementAndGet();
                peers.server.channel.close();
            });
            multiplexer.add(peers.server.channel, events -> {
                calls.incrementAndGet();
                peers.client.channel.close();
            });
            multiplexer.select(1_000_000_000);
            multiplexer.select(0);
            multiplexer.select(1_000_000);
            assertTrue(calls.get() >= 1, "no handler was called");
        }
    }

    @Test
    void shouldGoOnAfterAHandlerThatFails() {
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            multiplexer.add(peers.client.channel, events -> {
                throw new IllegalArgumentException("a handler's defect, made for the test");
            });
            multiplexer.add(peers.server.channel, peers.server::onReady);
            peers.await(() -> peers.server.writable);
        }
    }

    @Test
    void shouldReturnAtOnceWhenWokenBefore() {
        multiplexer.wakeUp();
        multiplexer.wakeUp();
        assertEquals(0, multiplexer.select(-1));
    }

    @Test
    void shouldLoseNoWakeUp() throws InterruptedException {
        // The two threads take turns: each wake-up comes at another moment of select.
        AtomicLong asked = new AtomicLong();
        AtomicLong answered = new AtomicLong();
        AtomicLong last = new AtomicLong(20_000);
        Task waker = Task.start(() -> {
            Random pauses = new Random(SEED);
            long end = System.nanoTime() + 20_000_000_000L;
            for (long i = 1; i <= last.get(); i++) {
                if (i >= 1_000 && System.nanoTime() - end > 0) {
                    // The machine is busy: each turn may take some milliseconds.
                    last.set(i);
                }
                for (int spin = pauses.nextInt(400); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                asked.set(i);
                multiplexer.wakeUp();
                while (answered.get() < i) {
                    Thread.yield();
                }
            }
        });
        while (answered.get() < last.get()) {
            multiplexer.select(-1);
            answered.set(asked.get());
        }
        waker.join();
    }

    @Test
    void shouldReturnFromAWaitThatIsClosed() throws InterruptedException {
        for (int i = 0; i < 300; i++) {
            Multiplexer closing = open();
            Task other = Task.start(closing::close);
            assertThrows(ClosedException.class, () -> {
                while (true) {
                    closing.select(-1);
                }
            });
            other.join();
            closing.wakeUp();
            closing.close();
        }
    }

    @Test
    void shouldHonourTimeouts() {
        for (long nanos : new long[] { 100_000, 1_500_000, 30_000_000 }) {
            long start = System.nanoTime();
            assertEquals(0, multiplexer.select(nanos));
            long took = System.nanoTime() - start;
            assertTrue(took >= nanos, () -> took + " ns instead of " + nanos);
            assertTrue(took < 60_000_000_000L, () -> took + " ns instead of " + nanos);
        }
        assertEquals(0, multiplexer.select(0));
    }

    @Test
    void shouldSayThatTheMemoryIsBadWhereItsArenaIsClosed() {
        try (Peers peers = Peers.connect(multiplexer)) {
            Arena closed = Arena.ofShared();
            MemorySegment gone = closed.allocate(8);
            MemorySegment good = arena.allocate(8);
            // Once with all well, so that all state that is kept about the segment is kept.
            peers.write(peers.client, Peers.vector(good, gone));
            peers.readFully(peers.server, Peers.vector(good, gone));
            peers.write(peers.client, Peers.vector(good));
            closed.close();
            assertEquals(Channel.BAD_MEMORY, peers.client.channel.write(Peers.vector(gone)));
            assertEquals(Channel.BAD_MEMORY, peers.server.channel.read(Peers.vector(gone)));
            // The stream is as it was.
            peers.server.readable = true;
            peers.readFully(peers.server, Peers.vector(good));
            peers.write(peers.client, Peers.vector(Peers.text(arena, "abc")));
            assertEquals(3, peers.read(peers.server, Peers.vector(good)));
        }
    }

    @Test
    void shouldNotReadIntoReadOnlyMemory() {
        try (Peers peers = Peers.connect(multiplexer)) {
            peers.write(peers.client, Peers.vector(Peers.text(arena, "abc")));
            peers.await(() -> peers.server.readable);
            assertEquals(Channel.BAD_MEMORY, peers.server.channel.read(Peers.vector(arena.allocate(8).asReadOnly())));
        }
    }

    @Test
    protected void shouldSayThatTheMemoryIsBadWhereAMappedFileWasCutShort(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("mapped");
        try (Peers peers = Peers.connect(multiplexer);
                FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            file.truncate(0);
            assertEquals(Channel.BAD_MEMORY, peers.client.channel.write(Peers.vector(mapped)));
            MemorySegment good = Peers.text(arena, "abcd");
            peers.write(peers.client, Peers.vector(good));
            peers.await(() -> peers.server.readable);
            assertEquals(Channel.BAD_MEMORY, peers.server.channel.read(Peers.vector(mapped)));
        }
    }

    @Test
    void shouldSurviveArenasThatAreClosedWhileTheirMemoryIsSent() throws InterruptedException {
        try (Peers peers = Peers.connect(multiplexer)) {
            AtomicBoolean over = new AtomicBoolean();
            Task drain = Task.start(() -> {
                IoVector into = Peers.vector(arena.allocate(1 << 16));
                while (!over.get()) {
                    assertTrue(peers.server.channel.read(into) >= 0);
                }
            });
            for (int i = 0; i < 50; i++) {
                Arena closing = Arena.ofShared();
                IoVector from = Peers.vector(closing.allocate(1 << 14));
                AtomicLong writes = new AtomicLong();
                Task writer = Task.start(() -> {
                    long result;
                    do {
                        result = peers.client.channel.write(from);
                        writes.incrementAndGet();
                    } while (result >= 0);
                    assertEquals(Channel.BAD_MEMORY, result);
                });
                while (writes.get() < 5 && writer.isAlive()) {
                    Thread.onSpinWait();
                }
                closeWhenIdle(closing);
                writer.join();
            }
            over.set(true);
            drain.join();
        }
    }

    /** A call that is under way keeps an arena open: closing it then is refused, for the moment. */
    private static void closeWhenIdle(Arena arena) {
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException e) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldSurviveChannelsThatAreClosedWhileOthersUseThem() throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            try (Peers peers = Peers.connect(multiplexer)) {
                Task reader = Task.start(() -> {
                    IoVector into = Peers.vector(arena.allocate(64));
                    long result;
                    do {
                        result = peers.server.channel.read(into);
                    } while (result >= 0);
                });
                Task writer = Task.start(() -> {
                    IoVector from = Peers.vector(arena.allocate(64));
                    long result;
                    do {
                        result = peers.server.channel.write(from);
                    } while (result >= 0);
                    assertEquals(Channel.BROKEN, result);
                });
                multiplexer.select(0);
                peers.server.channel.close();
                multiplexer.select(0);
                reader.join();
                writer.join();
            }
        }
    }

    @Test
    void shouldCarryAThousandChannels() {
        int pairs = 500;
        List<Peers> all = new ArrayList<>();
        try {
            for (int i = 0; i < pairs; i++) {
                all.add(Peers.connect(multiplexer));
            }
            MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment sink = arena.allocate(ValueLayout.JAVA_INT);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < pairs; i++) {
                    number.set(ValueLayout.JAVA_INT, 0, i);
                    all.get(i).write(all.get(i).client, Peers.vector(number));
                }
                for (int i = pairs - 1; i >= 0; i--) {
                    all.get(i).readFully(all.get(i).server, Peers.vector(sink));
                    assertEquals(i, sink.get(ValueLayout.JAVA_INT, 0));
                }
            }
        } finally {
            all.forEach(Peers::close);
        }
    }

    private static long mismatch(MemorySegment a, long atA, MemorySegment b, long atB, long length) {
        return MemorySegment.mismatch(a, atA, atA + length, b, atB, atB + length);
    }

    private MemorySegment randomSegment(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }

    /** Fills a vector with parts of random lengths that together are the segment from an offset on, or some of it. */
    private void randomVector(IoVector vector, MemorySegment segment, long start, long end) {
        vector.clear();
        long at = start;
        // Slices are different segments to the vector, so it does not merge them.
        for (int parts = 1 + random.nextInt(80); parts > 0 && at < end; parts--) {
            long length = Math.min(end - at, 1 + random.nextInt(1 << random.nextInt(16)));
            if (random.nextBoolean()) {
                vector.add(segment, at, length);
            } else {
                vector.add(segment.asSlice(at, length), 0, length);
            }
            at += length;
        }
    }
}

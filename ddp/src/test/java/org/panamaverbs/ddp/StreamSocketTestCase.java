package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;

/** A connected pair of sockets over an ordered, reliable transport. */
abstract class StreamSocketTestCase {
    static final Duration LONG = Duration.ofSeconds(60);

    final DdpTransport transport;
    final String kind;
    Arena arena;
    DdpContext context;
    DdpGroup group;
    DdpListener listener;
    DdpSocket near;
    DdpSocket far;

    StreamSocketTestCase(DdpTransport transport, String kind) {
        this.transport = transport;
        this.kind = kind;
    }

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind).build());
        group = context.newGroup();
        listener = context.listen(group, transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), options());
        near = context.connect(transport, listener.address(), options(), LONG);
        far = listener.accept(LONG);
    }

    DdpOptions options() {
        return DdpOptions.DEFAULT;
    }

    /** Whether a message to an unknown STag ends the stream; otherwise it is dropped. */
    boolean endsOnAnUnknownStag() {
        return false;
    }

    /** Whether messages are delivered in the order of sending. */
    boolean isOrdered() {
        return true;
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    MemorySegment pattern(int size, int seed) {
        MemorySegment segment = arena.allocate(size, 64);
        for (int i = 0; i < size; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31 + (i >> 8) * 7));
        }
        return segment;
    }

    static byte[] bytes(MemorySegment segment, long offset, long length) {
        return segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    Indication take(DdpSocket socket) {
        Indication indication = socket.newIndication();
        assertTrue(socket.receive(indication, LONG), "an indication comes");
        return indication;
    }

    /** Over an unordered transport the notification may come before other parts of its message. */
    static void awaitPlaced(DdpSocket socket, long bytes) {
        long begin = System.nanoTime();
        while (socket.counters().bytesPlaced() < bytes) {
            assertTrue(System.nanoTime() - begin < LONG.toNanos(), "in time");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldPlaceATaggedMessageAndNotify() {
        MemorySegment sink = arena.allocate(3 << 20, 64);
        RegisteredBuffer buffer = far.register(sink);
        MemorySegment source = pattern(2 << 20, 1);

        near.sendDdp(source, 0, source.byteSize(), new BufferAddress(buffer.address().stag(), buffer.address().offset() + 4096), 77);

        Indication indication = take(far);
        assertEquals(Indication.Kind.NOTIFICATION, indication.kind());
        assertEquals(77, indication.messageId());
        awaitPlaced(far, source.byteSize());
        assertArrayEquals(bytes(source, 0, source.byteSize()), bytes(sink, 4096, source.byteSize()));
        assertEquals(0, sink.get(ValueLayout.JAVA_BYTE, 4095));
        assertEquals(0, sink.get(ValueLayout.JAVA_BYTE, 4096 + source.byteSize()));
        assertEquals(source.byteSize(), far.counters().bytesPlaced());
        assertEquals(source.byteSize(), near.counters().bytesSent());
    }

    @Test
    void shouldPlaceIntoASliceWithAnOffsetOfItsOwn() {
        MemorySegment sink = arena.allocate(100);
        RegisteredBuffer buffer = group.register(sink, BufferAttributes.DEFAULT.withStag(5).withOffset(-100));
        MemorySegment source = pattern(10, 2);
        far.receive(far.newIndication(), Duration.ZERO);

        near.sendDdp(source, 0, 10, new BufferAddress(5, -10), 1);

        take(far);
        assertArrayEquals(bytes(source, 0, 10), bytes(sink, 90, 10));
        assertEquals(new BufferAddress(5, -100), buffer.address());
    }

    @Test
    void shouldDeliverUntaggedMessagesInTheOrderOfPosting() {
        assumeTrue(isOrdered(), "the order of delivery is random");
        MemorySegment sink = arena.allocate(3000);
        RegisteredBuffer buffer = far.register(sink);
        assertTrue(far.tryPostReceive(buffer, 0, 1000));
        assertTrue(far.tryPostReceive(buffer, 1000, 0));
        assertTrue(far.tryPostReceive(buffer, 2000, 1000));
        MemorySegment source = pattern(1000, 3);

        near.send(source, 0, 1000);
        near.send(source, 0, 0);
        near.send(source, 10, 20);

        Indication first = take(far);
        assertEquals(Indication.Kind.MESSAGE, first.kind());
        assertSame(buffer, first.buffer());
        assertEquals(0, first.offset());
        assertEquals(1000, first.length());
        assertEquals(near.localAddress(), first.source());
        assertArrayEquals(bytes(source, 0, 1000), bytes(sink, 0, 1000));
        assertEquals(0, take(far).length());
        Indication third = take(far);
        assertEquals(2000, third.offset());
        assertEquals(20, third.length());
        assertArrayEquals(bytes(source, 10, 20), bytes(sink, 2000, 20));
    }

    @Test
    void shouldTakeAReceiveOfTheGroupIfTheSocketHasNone() {
        MemorySegment sink = arena.allocate(100);
        RegisteredBuffer buffer = group.register(sink, BufferAttributes.DEFAULT);
        assertTrue(group.tryPostReceive(buffer, 0, 50));
        MemorySegment source = pattern(50, 4);

        near.send(source, 0, 50);

        assertSame(buffer, take(far).buffer());
        assertArrayEquals(bytes(source, 0, 50), bytes(sink, 0, 50));
    }

    @Test
    void shouldSetTheBytesOfASink() {
        byte[] set = new byte[200_000];
        far.register(new DdpBuffer() {
            @Override
            public long size() {
                return set.length;
            }

            @Override
            public void set(long offset, MemorySegment bytes) {
                assertTrue(bytes.isReadOnly());
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, set, (int) offset, (int) bytes.byteSize());
            }
        }, BufferAttributes.DEFAULT.withStag(9));
        MemorySegment source = pattern(200_000, 5);

        near.sendDdp(source, 0, 200_000, new BufferAddress(9, 0), 3);

        take(far);
        awaitPlaced(far, 200_000);
        assertArrayEquals(bytes(source, 0, 200_000), set);
    }

    @Test
    void shouldTellAListenerOfEachPlacement() {
        long[] placed = new long[1];
        far.register(arena.allocate(100_000), BufferAttributes.DEFAULT.withStag(9), (offset, length) -> {
            placed[0] += length;
        });

        near.sendDdp(pattern(100_000, 6), 0, 100_000, new BufferAddress(9, 0), 3);

        take(far);
        awaitPlaced(far, 100_000);
        assertEquals(100_000, placed[0]);
    }

    @Test
    void shouldNotSeeTheBuffersOfAnotherSocket() {
        DdpSocket near2 = context.connect(transport, listener.address(), options(), LONG);
        DdpSocket far2 = listener.accept(LONG);
        MemorySegment own = arena.allocate(10);
        MemorySegment other = arena.allocate(10);
        far.register(own, BufferAttributes.DEFAULT.withStag(9));
        far2.register(other, BufferAttributes.DEFAULT.withStag(9));

        near2.sendDdp(pattern(10, 7), 0, 10, new BufferAddress(9, 0), 3);

        take(far2);
        assertArrayEquals(new byte[10], bytes(own, 0, 10));
        assertArrayEquals(bytes(pattern(10, 7), 0, 10), bytes(other, 0, 10));
    }

    @Test
    void shouldEndInGoodOrder() {
        near.sendDdp(pattern(10, 7), 0, 10, far.register(arena.allocate(10)).address(), 3);
        near.shutdownOutput();

        assertEquals(Indication.Kind.NOTIFICATION, take(far).kind());
        assertEquals(Indication.Kind.END, take(far).kind());
        assertThrows(ClosedException.class, () -> far.receive(far.newIndication(), LONG));
        assertThrows(IllegalStateException.class, () -> near.send(arena.allocate(1), 0, 1));
        RegisteredBuffer back = near.register(arena.allocate(10));
        far.sendDdp(pattern(10, 8), 0, 10, back.address(), 4);
        assertEquals(4, take(near).messageId());
    }

    /** A virtual thread never leads the loop: it parks, and the end must wake it. */
    @Test
    void shouldWakeAThreadThatWaitsForTheEnd() throws InterruptedException {
        Indication indication = far.newIndication();
        Thread waiting = Thread.startVirtualThread(() -> far.receive(indication, Duration.ofHours(1)));
        while (waiting.getState() != Thread.State.TIMED_WAITING && waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        near.shutdownOutput();
        assertTrue(waiting.join(LONG));
        assertEquals(Indication.Kind.END, indication.kind());
    }

    @Test
    void shouldDeliverAllThatWasSentBeforeTheClose() {
        MemorySegment sink = arena.allocate(8 << 20, 64);
        RegisteredBuffer buffer = far.register(sink);
        MemorySegment source = pattern(8 << 20, 8);
        near.sendDdp(source, 0, source.byteSize(), buffer.address(), 5);
        // Unread bytes at the closing side must not take back what it sent.
        far.send(arena.allocate(10), 0, 10);
        near.close();

        assertEquals(5, take(far).messageId());
        awaitPlaced(far, source.byteSize());
        assertEquals(-1, source.mismatch(sink));
        assertEquals(Indication.Kind.END, take(far).kind());
    }

    @Test
    void shouldReportAnUntaggedMessageWithoutAReceive() {
        far.register(arena.allocate(1));
        near.send(arena.allocate(10), 0, 10);

        VerbsException failure = take(far).failure();
        assertInstanceOf(PeerException.class, failure);
        assertTrue(failure.getMessage().contains("no buffer") || failure.getMessage().contains("receive"), failure::getMessage);
    }

    /** A virtual thread never leads the loop: it hears of the end only if somebody tells it. */
    @Test
    void shouldWakeAThreadThatWaitsForWhatEndsTheStream() throws InterruptedException {
        far.register(arena.allocate(1));
        Indication last = far.newIndication();
        Thread waiting = Thread.startVirtualThread(() -> far.receive(last, Duration.ofMinutes(10)));
        near.send(arena.allocate(10), 0, 10);
        assertTrue(waiting.join(Duration.ofSeconds(60)), "the thread still waits");
        assertInstanceOf(PeerException.class, last.failure());
    }

    @Test
    void shouldTakeNothingOfAClosedBuffer() {
        MemorySegment sink = arena.allocate(10);
        far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
        RegisteredBuffer buffer = far.register(sink);
        buffer.close();
        buffer.close();
        near.sendDdp(pattern(10, 8), 0, 10, buffer.address());
        if (!endsOnAnUnknownStag()) {
            near.sendDdp(pattern(10, 8), 0, 10, new BufferAddress(8, 0), 1);
        }

        assertEquals(endsOnAnUnknownStag() ? Indication.Kind.ERROR : Indication.Kind.NOTIFICATION, take(far).kind());
        assertArrayEquals(new byte[10], bytes(sink, 0, 10));
    }

    @Test
    void shouldStopReceivingWhileTooManyIndicationsWait() {
        far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
        MemorySegment source = pattern(10, 8);
        int messages = 50_000;
        Thread sender = Thread.startVirtualThread(() -> {
            for (int i = 0; i < messages; i++) {
                near.sendDdp(source, 0, 10, new BufferAddress(8, 0), i & 0x7F);
            }
        });
        Indication indication = far.newIndication();
        for (int i = 0; i < messages; i++) {
            assertTrue(far.receive(indication, LONG));
            assertTrue(!isOrdered() || indication.messageId() == (i & 0x7F));
        }
        assertFalse(far.poll(indication));
        assertTrue(sender.isAlive() || near.counters().messagesSent() >= messages);
    }

    @Test
    void shouldEndWaitsAsVerbsDo() throws InterruptedException {
        Indication indication = far.newIndication();
        assertFalse(far.receive(indication, Duration.ofMillis(20)));
        assertEquals(Indication.Kind.NONE, indication.kind());
        assertThrows(IllegalArgumentException.class, () -> far.receive(indication, Duration.ofMillis(-1)));
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, () -> far.receive(indication, LONG));
        assertTrue(Thread.interrupted());
        assertThrows(VerbsTimeoutException.class, () -> listener.accept(Duration.ofMillis(10)));

        Throwable[] thrown = new Throwable[1];
        Thread waiting = Thread.ofPlatform()
                .start(() -> thrown[0] = assertThrows(ClosedException.class, () -> far.receive(indication, LONG)));
        while (waiting.getState() == Thread.State.NEW) {
            Thread.onSpinWait();
        }
        far.close();
        waiting.join(LONG);
        assertInstanceOf(ClosedException.class, thrown[0]);
        assertThrows(ClosedException.class, () -> far.send(arena.allocate(1), 0, 1));
        assertThrows(ClosedException.class, () -> far.register(arena.allocate(1)));
    }

    @Test
    void shouldGiveUpIfThePeerTakesNothing() {
        assumeTrue(isOrdered(), "a message that was broken off does no harm to the next one");
        DdpSocket impatient = context.connect(transport, listener.address(), options().withSendTimeout(Duration.ofMillis(200)), LONG);
        DdpSocket unread = listener.accept(LONG);
        MemorySegment source = arena.allocate(64 << 20, 64);

        VerbsTimeoutException late = assertThrows(VerbsTimeoutException.class,
                () -> impatient.sendDdp(source, 0, source.byteSize(), new BufferAddress(1, 0)));

        assertTrue(late.getMessage().contains("took no data"), late::getMessage);
        assertThrows(ClosedException.class, () -> impatient.send(source, 0, 1));
        unread.close();
    }

    @Test
    void shouldRefuseMistakes() {
        MemorySegment heap = MemorySegment.ofArray(new byte[10]);
        assertThrows(IllegalArgumentException.class, () -> near.send(heap, 0, 10));
        assertThrows(IllegalArgumentException.class, () -> near.register(heap));
        assertThrows(IllegalArgumentException.class, () -> near.register(arena.allocate(10).asReadOnly()));
        assertThrows(IllegalArgumentException.class, () -> near.register(arena.allocate(0)));
        assertThrows(IllegalArgumentException.class, () -> near.register(arena.allocate(10), BufferAttributes.DEFAULT.withOffset(-9)));
        near.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(9).withOffset(-10));
        assertThrows(IllegalArgumentException.class, () -> near.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(9)));
        MemorySegment message = arena.allocate(10);
        assertThrows(IndexOutOfBoundsException.class, () -> near.send(message, 1, 10));
        assertThrows(IllegalArgumentException.class, () -> near.sendDdp(message, 0, 0, new BufferAddress(9, 0)));
        MemorySegment large = arena.allocate(64 << 20);
        assertThrows(IllegalArgumentException.class, () -> near.sendDdp(large, 0, large.byteSize(), 9, 0, DdpSocket.ATOMIC, 0));
        RegisteredBuffer ofOther = far.register(arena.allocate(10));
        assertThrows(IllegalArgumentException.class, () -> near.postReceive(ofOther));
        RegisteredBuffer own = near.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(10));
        own.close();
        IllegalArgumentException again = assertThrows(IllegalArgumentException.class,
                () -> near.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(10)));
        assertTrue(again.getMessage().contains("stag-quarantine"), again::getMessage);
    }
}

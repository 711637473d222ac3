package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;

/** Bytes that wait in the send buffer: for the connection, or for room at the peer. They leave by themselves. */
class EarlyBytesTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration BRIEFLY = Duration.ofMillis(1);
    private static final int ROUNDS = 40;
    private static final int MOST_BYTES = 200_000;
    /** What a stream takes for a peer that takes nothing. */
    private static final int TAKEN = 72 << 10;

    private final Random random = new Random(1);
    private final MemorySegment memory = MemorySegment.ofArray(new byte[MOST_BYTES]);
    private Verbs verbs;
    private Listener listener;
    private StreamLoop near;
    private StreamLoop far;

    /** A stream with a program that writes a number of bytes and shuts the output down or closes, and reads to the end. */
    private final class End {
        private final ByteStream stream;
        private final int bytes = random.nextInt(MOST_BYTES);
        private int written;
        private long read;
        private boolean over;

        End(boolean connects, StreamOptions options) {
            stream = connects ? near.connect(Route.to(listener.address()), SOON, options, changed -> {
            }) : far.accept(listener.awaitRequest(SOON), SOON, options, changed -> {
            });
        }

        /** {@return whether bytes were taken} Byte number n has the value n. */
        boolean write() throws IOException {
            int most = Math.min(bytes - written, 1 + random.nextInt(1 << random.nextInt(17)));
            int count = 0;
            if (most > 0) {
                for (int i = 0; i < most; i++) {
                    memory.set(ValueLayout.JAVA_BYTE, i, (byte) (written + i));
                }
                count = stream.write(memory, 0, most);
                written += count;
                if (random.nextBoolean()) {
                    stream.flush();
                }
            } else if (!over) {
                over = true;
                stream.shutdownOutput();
            }
            return count > 0;
        }

        void read() throws IOException {
            int most = 1 + random.nextInt(MOST_BYTES);
            int count = stream.read(memory, 0, most);
            for (int i = 0; i < count; i++) {
                assertEquals((byte) (read + i), memory.get(ValueLayout.JAVA_BYTE, i));
            }
            read += Math.max(0, count);
        }
    }

    @BeforeEach
    void open() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    }

    private void openLoops(boolean carries) {
        near = StreamLoop.open(verbs.device(), carries, ReentrantLock::new);
        far = StreamLoop.open(verbs.device(), carries, ReentrantLock::new);
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
        listener.close();
        verbs.close();
    }

    private void turnUntil(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            near.turn(BRIEFLY);
            far.turn(BRIEFLY);
            if (System.nanoTime() - begin > SOON.toNanos()) {
                fail("not within " + SOON);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldSendThemInOrder(boolean carries) throws IOException {
        openLoops(carries);
        long early = 0;
        for (int round = 0; round < ROUNDS; round++) {
            StreamOptions options = StreamOptions.defaults().withSendBuffer(StreamOptions.LEAST_BUFFER << random.nextInt(8))
                    .withReceiveBuffer(StreamOptions.LEAST_BUFFER << random.nextInt(8));
            End one = new End(true, options);
            while (random.nextInt(8) > 0 && one.write()) {
                assertFalse(one.stream.isConnected());
            }
            End other = new End(false, options);
            while (random.nextInt(8) > 0 && other.write()) {
                near.turn(Duration.ZERO);
            }
            early += one.written + other.written;
            long begin = System.nanoTime();
            while (one.read < other.bytes || other.read < one.bytes || !one.stream.hasEnded() || !other.stream.hasEnded()) {
                assertTrue(System.nanoTime() - begin < SOON.toNanos(), one.stream + ", " + other.stream);
                End end = random.nextBoolean() ? one : other;
                if (random.nextBoolean()) {
                    if (!end.over) {
                        end.write();
                    }
                } else {
                    end.read();
                }
                (end == one ? near : far).turn(Duration.ZERO);
            }
            assertNull(one.stream.failure());
            one.stream.close();
            other.stream.close();
        }
        assertTrue(early > 100L * ROUNDS, early + " bytes before the connection");
    }

    @Test
    void shouldTakeAsManyAsItsBufferHas() throws IOException {
        openLoops(true);
        ByteStream stream = near.connect(Route.to(listener.address()), SOON, StreamOptions.defaults(), changed -> {
        });
        assertTrue(stream.canWrite());
        assertEquals(TAKEN, stream.write(memory, 0, MOST_BYTES));
        assertEquals(0, stream.write(memory, 0, 1));
        assertFalse(stream.canWrite());
        ByteStream peer = far.accept(listener.awaitRequest(SOON), SOON, StreamOptions.defaults(), changed -> {
        });
        long[] read = new long[1];
        turnUntil(() -> {
            read[0] += read(peer);
            return read[0] == TAKEN;
        });
        turnUntil(stream::canWrite);
        assertTrue(stream.write(memory, 0, MOST_BYTES) > 0);
    }

    private long read(ByteStream stream) {
        try {
            return stream.read(memory, 0, MOST_BYTES);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A close waits for the connection if there is something for the peer. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 50_000 })
    void shouldGoThoughTheProgramHasClosedTheStream(int bytes) throws IOException {
        openLoops(true);
        ByteStream stream = near.connect(Route.to(listener.address()), SOON, StreamOptions.defaults(), changed -> {
        });
        stream.write(memory, 0, bytes);
        stream.shutdownOutput();
        stream.close();
        assertTrue(near.isClosing());
        assertThrows(IOException.class, () -> stream.write(memory, 0, 1));
        ByteStream peer = far.accept(listener.awaitRequest(SOON), SOON, StreamOptions.defaults(), changed -> {
        });
        long[] read = new long[1];
        turnUntil(() -> {
            long count = read(peer);
            read[0] += Math.max(0, count);
            return count < 0;
        });
        assertEquals(bytes, read[0]);
        peer.close();
        turnUntil(() -> near.streams() == 0 && far.streams() == 0);
        assertNull(stream.failure());
    }

    @Test
    void shouldBeDroppedIfTheConnectionFails() throws IOException {
        openLoops(true);
        ByteStream stream = near.connect(Route.to(listener.address()), SOON, StreamOptions.defaults(), changed -> {
        });
        assertEquals(100, stream.write(memory, 0, 100));
        stream.flush();
        // Only now: a stream that has failed takes no bytes.
        listener.awaitRequest(SOON).reject(new byte[0]);
        turnUntil(stream::hasEnded);
        assertTrue(stream.failure().getMessage().contains("rejected"), stream.failure().getMessage());
        assertThrows(IOException.class, () -> stream.write(memory, 0, 1));
        stream.close();
        turnUntil(() -> near.streams() == 0);
    }

    /** A peer that never finishes its beginning keeps them for the time that they may linger. */
    @Test
    void shouldBeDroppedWhenTheyHaveLingered() throws IOException {
        openLoops(true);
        ByteStream stream = near.connect(Route.to(listener.address()), SOON, StreamOptions.defaults().withLinger(BRIEFLY), changed -> {
        });
        stream.write(memory, 0, 100);
        stream.close();
        assertTrue(near.isClosing());
        turnUntil(() -> near.streams() == 0);
        assertFalse(near.isClosing());
    }

    @Test
    void shouldLeaveNoBlockToAStreamThatIsIdle() throws IOException {
        openLoops(true);
        End one = new End(true, StreamOptions.defaults());
        End other = new End(false, StreamOptions.defaults());
        for (int round = 0; round < 3; round++) {
            int bytes = 1000 + round * 50_000;
            long before = other.read;
            for (int i = 0; i < bytes; i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) (before + i));
            }
            assertEquals(Math.min(bytes, TAKEN), one.stream.write(memory, 0, Math.min(bytes, TAKEN)));
            one.stream.flush();
            assertTrue(sends(one).hasBlocks());
            turnUntil(() -> {
                try {
                    other.read();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return other.read == before + Math.min(bytes, TAKEN);
            });
            turnUntil(() -> !sends(one).hasBlocks());
        }
    }

    private static SendMemory sends(End end) {
        return end.stream.connection().memory().sends();
    }
}

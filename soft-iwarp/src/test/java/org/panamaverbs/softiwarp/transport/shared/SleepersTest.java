package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.Task;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/** Two sides that sleep without a limit whenever they have nothing to do: a wake-up that is lost would stop them for ever. */
class SleepersTest {
    private static final long SEED = Long.getLong("panamaverbs.test.seed", 20261127);
    private static final long TOTAL = Long.getLong("sleepers.bytes", 64L << 20);
    private static final int LONGEST = 100_000;
    private static final long MOMENT_NANOS = 20_000_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /** One side: selects in its own thread, or has another thread select for it. */
    private static final class Side implements Multiplexer.Handler, AutoCloseable {
        final Multiplexer multiplexer;
        final AtomicInteger readable = new AtomicInteger();
        final AtomicInteger writable = new AtomicInteger();
        private final boolean selects;

        Side(int capacity, boolean selects) {
            this.selects = selects;
            multiplexer = new SharedMultiplexer(new EpollMultiplexer(), true, capacity);
        }

        @Override
        public void onReady(int events) {
            count(readable, events & Multiplexer.READABLE);
            count(writable, events & Multiplexer.WRITABLE);
        }

        private static void count(AtomicInteger edges, int event) {
            if (event != 0) {
                synchronized (edges) {
                    edges.incrementAndGet();
                    edges.notifyAll();
                }
            }
        }

        @Override
        public void close() {
            multiplexer.close();
        }

        /** Waits for an edge after those that were seen before the transfer that came up short. */
        void await(AtomicInteger edges, int seen) throws InterruptedException {
            if (selects) {
                while (edges.get() == seen) {
                    multiplexer.select(-1);
                }
                return;
            }
            synchronized (edges) {
                while (edges.get() == seen) {
                    edges.wait();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 4096, 65_536, 1 << 20 })
    void shouldLoseNoWakeUp(int capacity) throws Exception {
        transfer(capacity, true);
    }

    @ParameterizedTest
    @ValueSource(ints = { 4096, 65_536, 1 << 20 })
    void shouldLoseNoWakeUpOfAThreadThatDoesNotSelect(int capacity) throws Exception {
        transfer(capacity, false);
    }

    /** The wake-up belongs to an earlier wait, which has ended without it: the reader was interrupted before it cleared the mark. */
    @Test
    void shouldAskForRoomAgainAfterALateWakeUp() throws Exception {
        try (Side side = new Side(RingMemory.CAPACITY, true); Arena arena = Arena.ofConfined()) {
            Acceptor<Channel> acceptor = side.multiplexer.listen(Peers.loopback(0), 1);
            try (RawRings peer = RawRings.connect(acceptor.address())) {
                Channel channel = acceptor.accept();
                side.multiplexer.add(channel, side);
                side.multiplexer.select(0);
                long filled = channel.write(Peers.vector(arena.allocate(RingMemory.CAPACITY + 1)));
                assertTrue(filled > RingMemory.CAPACITY - 1024 && filled < RingMemory.CAPACITY, "all but the lengths of frames: " + filled);
                int seen = side.writable.get();
                peer.wakeWriter();
                for (int i = 0; i < 3; i++) {
                    side.multiplexer.select(MOMENT_NANOS);
                }
                assertEquals(seen, side.writable.get(), "the ring is full");
                peer.input().readNBytes((int) filled);
                side.multiplexer.select(PATIENCE_NANOS);
                side.multiplexer.select(0);
                assertTrue(side.writable.get() > seen, "nobody wakes the writer, though the ring is empty");
                channel.close();
            } finally {
                acceptor.close();
            }
        }
    }

    private static void transfer(int capacity, boolean selects) throws Exception {
        Side from = new Side(capacity, selects);
        Side to = new Side(capacity, selects);
        Acceptor<Channel> acceptor = to.multiplexer.listen(Peers.loopback(0), 1);
        Channel source = from.multiplexer.connect(acceptor.address());
        Channel sink = null;
        while (sink == null) {
            sink = acceptor.accept();
        }
        Channel accepted = sink;
        from.multiplexer.add(source, from);
        to.multiplexer.add(accepted, to);
        long total = capacity == 4096 ? TOTAL / 8 : TOTAL;
        boolean[] over = new boolean[1];
        Task[] selectors = selects ? new Task[0] : new Task[] { selector(from, over), selector(to, over) };
        Task writer = Task.start(() -> write(from, source, total));
        Task reader = Task.start(() -> read(to, accepted, total));
        // The failure of one leaves the other waiting.
        while (writer.isAlive() || reader.isAlive()) {
            writer.check();
            reader.check();
            Thread.sleep(1);
        }
        writer.join();
        reader.join();
        over[0] = true;
        from.multiplexer.wakeUp();
        to.multiplexer.wakeUp();
        for (Task selector : selectors) {
            selector.join();
        }
        source.close();
        accepted.close();
        acceptor.close();
        from.multiplexer.close();
        to.multiplexer.close();
    }

    private static Task selector(Side side, boolean[] over) {
        return Task.start(() -> {
            while (!over[0]) {
                side.multiplexer.select(-1);
            }
        });
    }

    private static void pause(SplittableRandom random) throws InterruptedException {
        if (random.nextInt(64) == 0) {
            Thread.sleep(0, random.nextInt(200_000));
        }
    }

    private static void write(Side side, Channel channel, long total) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(SEED);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(LONGEST + 256);
            for (int i = 0; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
            }
            IoVector vector = new IoVector(1);
            for (long sent = 0; sent < total;) {
                pause(random);
                int seen = side.writable.get();
                vector.clear();
                vector.add(memory, sent & 255, Math.min(total - sent, random.nextInt(1, LONGEST)));
                long count = channel.write(vector);
                assertTrue(count >= 0, "write returned " + count);
                sent += count;
                if (count < vector.bytes()) {
                    side.await(side.writable, seen);
                }
            }
        }
    }

    private static void read(Side side, Channel channel, long total) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(SEED + 1);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(LONGEST);
            IoVector vector = new IoVector(1);
            for (long received = 0; received < total;) {
                pause(random);
                int seen = side.readable.get();
                vector.clear();
                vector.add(memory, 0, random.nextInt(1, LONGEST));
                long count = channel.read(vector);
                assertTrue(count >= 0, "read returned " + count);
                for (long i = 0; i < count; i += 97) {
                    assertEquals((byte) (received + i), memory.get(ValueLayout.JAVA_BYTE, i));
                }
                received += count;
                if (count < vector.bytes() && received < total) {
                    side.await(side.readable, seen);
                }
            }
        }
    }
}

package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.statistics.QueuePairStatistics;
import org.panamaverbs.testing.Proofs;

/** Bytes are gathered until a flush. What a flush takes at each end is counted: a change that adds a step fails. */
class FlushTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration BRIEFLY = Duration.ofMillis(1);
    private static final int SPACE = 1 << 16;
    /** So many flushes fill the first range of 3 KiB, */
    private static final int FIRST = 24;
    /** and so many each range of 4 KiB after it. */
    private static final int EACH = 32;
    private static final int RANGES = 8;
    private static final int BYTES = 128;
    /** Of a buffer that is not copied. */
    private static final int LONG = StreamOutput.COPIED + 88;
    /** After so many messages each receive has room for what messages carry. */
    private static final int CARRIED_FROM = 2 * MessagePort.RECEIVES + 8;
    private static final int COMPILED = 5_000;
    /** With rsocket: a credit message when half of 48 credits are used, and a Write with a message for a grant. */
    private static final int CONTROL_REQUESTS = RANGES * 3;
    private static final int CONTROL_MESSAGES = RANGES * 2;

    private final RegistrableArena arena = RegistrableArena.ofShared();
    private Verbs verbs;
    private Listener listener;
    private End client;
    private End server;

    /** What an end does in its listener. */
    @FunctionalInterface
    private interface Step {
        void take() throws IOException;
    }

    /** Counts how often a thread takes it that does not have it. */
    private static final class CountedLock extends ReentrantLock {
        private static final long serialVersionUID = 1;
        private long taken;

        @Override
        public void lock() {
            boolean has = isHeldByCurrentThread();
            super.lock();
            taken += has ? 0 : 1;
        }
    }

    private final class End {
        private final StreamLoop loop;
        private final CountedLock lock = new CountedLock();
        private final MemorySegment memory = arena.allocate(SPACE, 8);
        private ByteStream stream;
        private MemoryRegion region;
        private Step step = () -> {
        };
        private long received;
        private int flushes;
        private long completions;

        End(boolean carries) {
            loop = StreamLoop.open(verbs.device(), carries, () -> lock);
        }

        void changed(ByteStream changed) {
            try {
                step.take();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Writes buffers that do not lie side by side, copied or from where they are, and flushes them. */
        void write(int buffers, boolean registered) throws IOException {
            int left = bytes(buffers, registered);
            stream.lock();
            try {
                for (int i = 0; i < buffers; i++) {
                    int length = left / (buffers - i);
                    long offset = 2L * i * length;
                    assertEquals(length, registered ? stream.write(region, offset, length) : stream.write(memory, offset, length));
                    left -= length;
                }
                stream.flush();
            } finally {
                stream.unlock();
            }
            flushes++;
        }

        /** Answers each flush of the peer by one. */
        void answer(int buffers, boolean registered, int most) throws IOException {
            int count = stream.read(memory, SPACE / 2, SPACE / 2);
            received += count;
            if (count > 0 && received % bytes(buffers, registered) == 0 && flushes < most) {
                write(buffers, registered);
            }
        }

        QueuePairStatistics statistics() {
            return stream.statistics();
        }

        void turn() {
            completions += loop.turn(BRIEFLY);
        }
    }

    /** How many bytes a flush has. */
    private static int bytes(int buffers, boolean registered) {
        return registered ? buffers * LONG : BYTES;
    }

    @BeforeEach
    void open() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    }

    private void connect(boolean clientCarries, boolean serverCarries) {
        client = new End(clientCarries);
        server = new End(serverCarries);
        listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        client.stream = client.loop.connect(Route.to(listener.address()), SOON, StreamOptions.defaults(), client::changed);
        server.stream = server.loop.accept(listener.awaitRequest(SOON), SOON, StreamOptions.defaults(), server::changed);
        turnUntil(() -> client.stream.isConnected() && server.stream.isConnected());
        client.region = client.stream.domain().register(client.memory);
        server.region = server.stream.domain().register(server.memory);
    }

    @AfterEach
    void close() {
        client.step = () -> {
        };
        server.step = client.step;
        client.region.close();
        server.region.close();
        client.loop.close();
        server.loop.close();
        listener.close();
        verbs.close();
        arena.close();
    }

    private void turnUntil(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            server.turn();
            client.turn();
            if (System.nanoTime() - begin > SOON.toNanos()) {
                fail(client.stream + ", " + server.stream);
            }
        }
    }

    private record Counts(long requests, long frames, long calls, long receives, long completions) {
        static Counts of(End end) {
            QueuePairStatistics counts = end.statistics();
            return new Counts(counts.requestsCompleted().orElseThrow(), counts.segmentsSent().orElseThrow(),
                    counts.writeCalls().orElseThrow(), counts.receivesCompleted().orElseThrow(), end.completions);
        }

        Counts since(Counts before) {
            return new Counts(requests - before.requests, frames - before.frames, calls - before.calls, receives - before.receives,
                    completions - before.completions);
        }
    }

    /** Each end answers from its listener, so what is due leaves with the answer. */
    private void exchange(int rounds, int buffers, boolean registered) throws IOException {
        int most = client.flushes + rounds;
        client.received = 0;
        server.received = 0;
        long bytes = (long) rounds * bytes(buffers, registered);
        client.step = () -> client.answer(buffers, registered, most);
        server.step = () -> server.answer(buffers, registered, most);
        turnUntil(client.stream::canWrite);
        client.write(buffers, registered);
        turnUntil(() -> client.received == bytes);
        turnUntil(() -> !registered
                || client.stream.completed() == client.stream.written() && server.stream.completed() == server.stream.written());
        // The last messages without data.
        turnUntil(() -> hasAll(client, server) && hasAll(server, client));
    }

    private static boolean hasAll(End receiver, End sender) {
        return receiver.statistics().segmentsReceived().orElseThrow() == sender.statistics().segmentsSent().orElseThrow();
    }

    private void check(int rounds, int buffers, int requests, int messages) throws IOException {
        Counts clientBefore = Counts.of(client);
        Counts serverBefore = Counts.of(server);
        exchange(rounds, buffers, false);
        int completions = messages + requests / 16 + 1;
        // What the client owes after the last answer has no data to leave with.
        int alone = requests > rounds ? 1 : 0;
        checkCounts(new Counts(requests, requests, rounds + alone, messages, completions), Counts.of(client).since(clientBefore));
        checkCounts(new Counts(requests, requests, rounds, messages, completions), Counts.of(server).since(serverBefore));
    }

    private static void checkCounts(Counts most, Counts counts) {
        assertTrue(counts.completions <= most.completions, () -> counts + ", not " + most);
        assertEquals(new Counts(most.requests, most.frames, most.calls, most.receives, counts.completions), counts);
    }

    /** The same for any number of buffers, if one end does not know messages that carry bytes. */
    @ParameterizedTest
    @CsvSource({ "1, false, false", "4, false, false", "20, false, false", "4, true, false", "4, false, true" })
    void shouldTakeOneWriteOneMessageAndOneCall(int buffers, boolean clientCarries, boolean serverCarries) throws IOException {
        connect(clientCarries, serverCarries);
        exchange(FIRST, buffers, false);
        int rounds = RANGES * EACH;
        check(rounds, buffers, rounds * 2 + CONTROL_REQUESTS, rounds + CONTROL_MESSAGES);
    }

    /** Credits leave with the bytes, and these need no target. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 4, 20 })
    void shouldTakeOneMessageThatCarriesAllAndOneCall(int buffers) throws IOException {
        connect(true, true);
        exchange(CARRIED_FROM, buffers, false);
        int rounds = RANGES * EACH;
        long before = server.lock.taken;
        long completions = server.completions;
        check(rounds, buffers, rounds, rounds);
        // One for a completion, one for the read in the listener, and one for the answer, or else for what is due after the listener.
        assertTrue(server.lock.taken - before <= 3 * (server.completions - completions), server.lock.taken - before + " locks");
    }

    /** So do NIO's channels and Netty's. */
    @Test
    void shouldTakeOneLockForWritesAndTheirFlush() throws IOException {
        connect(true, true);
        exchange(FIRST, 4, false);
        for (int buffers : new int[] { 1, 4, 20 }) {
            turnUntil(client.stream::canWrite);
            long before = client.lock.taken;
            client.write(buffers, false);
            assertEquals(1, client.lock.taken - before);
        }
    }

    /** Buffers do not lie side by side, and a Write has two parts. A flush that crosses the end of a target has a message more. */
    @ParameterizedTest
    @CsvSource({ "1, false", "2, false", "4, false", "1, true", "2, true", "4, true" })
    void shouldTakeOneMessageAndOneCallForBuffersThatAreNotCopied(int buffers, boolean carries) throws IOException {
        connect(carries, carries);
        exchange(CARRIED_FROM, buffers, true);
        Counts before = Counts.of(server);
        int rounds = RANGES * EACH;
        exchange(rounds, buffers, true);
        Counts counts = Counts.of(server).since(before);
        int writes = (buffers + 1) / 2;
        long others = counts.receives - rounds;
        assertTrue(others <= rounds / 4, counts + " for " + rounds);
        assertTrue(counts.requests <= rounds * (writes + 1L) + 2 * others, counts + " for " + rounds);
        assertTrue(counts.calls <= rounds + others / 2, counts + " for " + rounds);
    }

    /** Once all is compiled. */
    @ParameterizedTest
    @CsvSource({ "false, false", "false, true", "true, false", "true, true" })
    @Tag(Proofs.TAG)
    void shouldAllocateNothing(boolean registered, boolean carries) throws IOException {
        connect(carries, carries);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long begin = System.nanoTime();
        long allocated = Long.MAX_VALUE;
        while (allocated >= COMPILED) {
            assertTrue(System.nanoTime() - begin < SOON.toNanos(), allocated + " bytes for " + COMPILED + " flushes at each end");
            allocated = -threads.getCurrentThreadAllocatedBytes();
            exchange(COMPILED, 4, registered);
            allocated += threads.getCurrentThreadAllocatedBytes();
        }
    }

    /** Byte number n has the value of n in the memory of the writer, which repeats. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldKeepTheOrderOfBytesThatAreCopiedAndThatAreNot(boolean carries) throws IOException {
        connect(carries, carries);
        int bytes = 3_000_000;
        Random random = new Random(1);
        MemorySegment from = client.memory;
        for (int i = 0; i < SPACE; i++) {
            from.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        long[] counts = new long[2];
        server.step = () -> {
            int count = server.stream.read(server.memory, 0, 1 + random.nextInt(SPACE));
            while (count > 0) {
                for (int at = 0; at < count;) {
                    int place = (int) (counts[1] % SPACE);
                    int length = Math.min(count - at, SPACE - place);
                    assertEquals(-1, MemorySegment.mismatch(from, place, place + length, server.memory, at, at + length));
                    at += length;
                    counts[1] += length;
                }
                count = server.stream.read(server.memory, 0, 1 + random.nextInt(SPACE));
            }
        };
        while (counts[0] < bytes) {
            int place = (int) (counts[0] % SPACE);
            int length = Math.min(SPACE - place, 1 + random.nextInt(1 << random.nextInt(16)));
            int count = random.nextBoolean() ? client.stream.write(from, place, length) : client.stream.write(client.region, place, length);
            counts[0] += count;
            assertEquals(counts[0], client.stream.written());
            assertTrue(client.stream.completed() <= counts[0]);
            if (count < length) {
                turnUntil(client.stream::canWrite);
            } else if (random.nextInt(8) == 0) {
                client.stream.flush();
                client.turn();
            }
        }
        client.stream.shutdownOutput();
        turnUntil(() -> counts[1] == counts[0]);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldSendWhatIsGatheredBeforeItEnds(boolean carries) throws IOException {
        connect(true, true);
        if (carries) {
            exchange(CARRIED_FROM, 1, false);
        }
        client.step = () -> {
        };
        server.step = client.step;
        client.stream.write(client.memory, 0, 10);
        client.stream.write(client.region, 100, 10);
        client.stream.shutdownOutput();
        server.stream.write(server.region, 0, 20);
        server.stream.write(server.memory, 0, 10);
        server.stream.close();
        turnUntil(() -> client.stream.available() == 30);
        assertEquals(30, client.stream.read(client.memory, 0, 100));
        turnUntil(() -> client.stream.hasEnded() && server.stream.hasEnded());
        assertEquals(-1, client.stream.read(client.memory, 0, 100));
    }

    @Test
    void shouldRefuseARegionThatItCannotSend() {
        connect(true, true);
        try (ProtectionDomain other = verbs.device().allocateProtectionDomain(); MemoryRegion foreign = other.register(client.memory)) {
            assertThrows(IllegalArgumentException.class, () -> client.stream.write(foreign, 0, 10));
        }
        MemoryRegion closed = client.stream.domain().register(client.memory);
        closed.close();
        assertThrows(IllegalStateException.class, () -> client.stream.write(closed, 0, 10));
        assertEquals(0, client.stream.written());
    }
}

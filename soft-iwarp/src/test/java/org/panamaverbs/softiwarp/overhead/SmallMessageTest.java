package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.Host.End;
import org.panamaverbs.softiwarp.fixtures.Host.Pair;
import org.panamaverbs.statistics.QueuePairStatistics;

/** The steps of one small message at each end if nothing else is in flight. docs/performance.md has these counts in its table. */
class SmallMessageTest {
    /** Until the receiver knows that the peer's messages are short. */
    private static final int FIRST = 20;
    private static final int MESSAGES = 200;
    private static final int SIZE = 64;

    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    @ParameterizedTest
    @ValueSource(strings = { "epoll", "shared-memory" })
    void shouldTakeOneFrameAndOneCallForASend(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            Pair pair = host.connect();
            MemoryRegion from = host.region(SIZE);
            MemoryRegion to = host.region(SIZE, Access.LOCAL_WRITE);
            Counts client = null;
            Counts server = null;
            for (int i = 0; i < FIRST + MESSAGES; i++) {
                if (i == FIRST) {
                    client = Counts.of(pair.client());
                    server = Counts.of(pair.server());
                }
                pair.server().queuePair.post(receive.receive(i).local(to, 0, SIZE));
                pair.client().queuePair.post(request.send(i).local(from, 0, SIZE).signaled());
                assertTrue(pair.client().next().isSuccess());
                assertTrue(pair.server().next().isSuccess());
            }
            assertEquals(new Counts(MESSAGES, 0, MESSAGES, MESSAGES, 0, 0, 0, 0), Counts.of(pair.client()).since(client), "sender");
            assertEquals(new Counts(0, MESSAGES, 0, 0, MESSAGES, MESSAGES, MESSAGES * SIZE, 0), Counts.of(pair.server()).since(server),
                    "receiver");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "epoll", "shared-memory" })
    void shouldTakeOneFrameAndOneCallForAWrite(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            Pair pair = host.connect();
            MemoryRegion from = host.region(SIZE);
            MemoryRegion to = host.region(SIZE, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            Counts client = null;
            Counts server = null;
            for (int i = 0; i < FIRST + MESSAGES; i++) {
                if (i == FIRST) {
                    client = Counts.of(pair.client());
                    server = Counts.of(pair.server());
                }
                byte value = (byte) i;
                from.segment().fill(value);
                pair.client().queuePair.post(request.write(i).local(from, 0, SIZE).remote(to.remote(), 0).signaled());
                assertTrue(pair.client().next().isSuccess());
                awaitLast(pair.server(), to, value);
            }
            assertEquals(new Counts(MESSAGES, 0, MESSAGES, MESSAGES, 0, 0, 0, 0), Counts.of(pair.client()).since(client), "sender");
            assertEquals(new Counts(0, 0, 0, 0, MESSAGES, MESSAGES, MESSAGES * SIZE, 0), Counts.of(pair.server()).since(server),
                    "receiver");
        }
    }

    /** Polls until the last byte of a message has come, as a program does that watches memory. */
    private static void awaitLast(End end, MemoryRegion place, byte value) {
        long begun = System.nanoTime();
        while (place.segment().get(ValueLayout.JAVA_BYTE, SIZE - 1) != value) {
            end.queue.poll(end.completions());
            assertTrue(System.nanoTime() - begun < Host.LIMIT.toNanos(), "a Write does not come");
        }
    }

    private record Counts(long requests, long receives, long framesSent, long writeCalls, long framesReceived, long readCalls, long staged,
            long direct) {
        static Counts of(End end) {
            QueuePairStatistics counts = end.queuePair.statistics();
            return new Counts(counts.requestsCompleted().orElseThrow(), counts.receivesCompleted().orElseThrow(),
                    counts.segmentsSent().orElseThrow(), counts.writeCalls().orElseThrow(), counts.segmentsReceived().orElseThrow(),
                    counts.readCalls().orElseThrow(), counts.bytesStaged().orElseThrow(), counts.bytesPlacedDirectly().orElseThrow());
        }

        Counts since(Counts before) {
            return new Counts(requests - before.requests, receives - before.receives, framesSent - before.framesSent,
                    writeCalls - before.writeCalls, framesReceived - before.framesReceived, readCalls - before.readCalls,
                    staged - before.staged, direct - before.direct);
        }
    }
}

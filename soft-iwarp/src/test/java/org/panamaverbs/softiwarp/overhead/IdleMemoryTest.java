package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.softiwarp.fixtures.Host;

/** The memory that a connection takes with queues of the default depths: little until it is used, and no more than so much then. */
class IdleMemoryTest {
    /** Half of the 16 KiB that are wanted. {@link Footprint} does not see all: not what the JDK's objects hold, nor entries of tables. */
    private static final long UNUSED = 8 * 1024;
    /** With both queues used: the requests of a queue are made all at once, 29 bytes each for a receive, 57 for a send. */
    private static final long RESTING = UNUSED + 128 * (29 + 57) + 768;
    /** Both queues, inline memory, the receiving stage and the first of the two longer transmit buffers. */
    private static final long USED = 80 * 1024;
    private static final int BURST = 100;
    /** A page of positions, and a ring of 1 MiB for each direction. */
    private static final long RINGS = 4096 + 2 * (1L << 20);
    /** The page of positions, and the first page of each ring. */
    private static final long USED_RINGS = 3 * 4096;

    @ParameterizedTest
    @CsvSource({ "epoll,false", "epoll,true", "nio,false" })
    void shouldTakeLittleWhileUnused(String transport, boolean verifying) throws Exception {
        try (Host host = new Host(transport, "verify-before-place", Boolean.toString(verifying))) {
            Host.Pair pair = host.connect();
            awaitFirstFrame(pair.server());
            assertAtMost(UNUSED, pair.client().connection);
            assertAtMost(UNUSED, pair.server().connection);
        }
    }

    /** Beside its rings, of which it uses the first pages. Both ends are here, and map them. */
    @Test
    void shouldTakeLittleOverSharedMemoryWhileUnused() throws Exception {
        try (Host host = new Host("shared-memory")) {
            Host.Pair pair = host.connect();
            awaitFirstFrame(pair.server());
            for (Host.End end : List.of(pair.client(), pair.server())) {
                Footprint footprint = Footprint.of(end.connection);
                assertTrue(footprint.bytes() - RINGS <= UNUSED, () -> "more than " + UNUSED + " bytes beside the rings: " + footprint);
            }
            assertTrue(usedRings() <= 2 * USED_RINGS, () -> usedRings() + " bytes of the rings are in use");
        }
    }

    private static long usedRings() {
        try {
            long bytes = 0;
            boolean ours = false;
            for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
                if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                    ours = line.contains("panama-verbs-rings");
                } else if (ours && line.startsWith("Rss:")) {
                    bytes += 1024 * Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldTakeLittleMoreAfterAFewMessages() throws Exception {
        try (Host host = new Host("epoll")) {
            Host.Pair pair = host.connect();
            for (int i = 0; i < 3; i++) {
                host.exchange(pair);
                host.exchange(new Host.Pair(pair.server(), pair.client()));
            }
            assertAtMost(RESTING, pair.client().connection);
            assertAtMost(RESTING, pair.server().connection);
        }
    }

    @Test
    void shouldTakeNoMoreThanItsBoundOnceUsed() throws Exception {
        try (Host host = new Host("epoll");
                MemoryRegion from = host.region(64);
                MemoryRegion to = host.region(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
            Host.Pair pair = host.connect();
            for (int i = 0; i < 20; i++) {
                burst(pair.client(), from, to);
                burst(pair.server(), from, to);
            }
            assertAtMost(USED, pair.client().connection);
            assertAtMost(USED, pair.server().connection);
        }
    }

    /** Short messages, which one write carries together. */
    private static void burst(Host.End end, MemoryRegion from, MemoryRegion to) {
        for (int i = 1; i <= BURST; i++) {
            end.queuePair.post(
                    new SendRequest().write(i).local(from, 0, 64).remote(to.remote(), 0).inline().more(i < BURST).signaled(i == BURST));
        }
        assertEquals(CompletionStatus.SUCCESS, end.next().status());
    }

    /** The ready-to-receive indication, which makes the passive end an idle one. */
    private static void awaitFirstFrame(Host.End end) {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (end.queuePair.statistics().segmentsReceived().getAsLong() == 0) {
            assertTrue(System.nanoTime() < deadline, "the peer's first frame never came");
            Thread.onSpinWait();
        }
    }

    private static void assertAtMost(long most, Connection connection) throws Exception {
        Footprint footprint = Footprint.of(connection);
        assertTrue(footprint.bytes() <= most, () -> "more than " + most + " bytes: " + footprint);
    }
}

package org.panamaverbs.softiwarp.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;

class AcceptQueueTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);

    private final AcceptQueue<String> queue = new AcceptQueue<>("guest", 2);

    @Test
    void shouldGiveTheOldestFirstAndRefuseNone() {
        assertTrue(queue.add("a"));
        assertTrue(queue.add("b"));
        assertTrue(queue.add("c"));
        assertEquals("a", queue.take(ADDRESS, LONG));
        assertEquals("b", queue.take(ADDRESS, Duration.ZERO));
        assertEquals("c", queue.take(ADDRESS, Duration.ZERO));
    }

    @Test
    void shouldReportRoomEachTimeThereIsSomeAgain() {
        List<Boolean> room = new ArrayList<>();
        queue.onRoom(() -> room.add(queue.hasRoom()));
        queue.add("a");
        assertTrue(queue.hasRoom());
        queue.add("b");
        queue.add("c");
        assertFalse(queue.hasRoom());
        queue.take(ADDRESS, LONG);
        assertEquals(List.of(), room, "two wait, as many as there are places");
        queue.take(ADDRESS, LONG);
        assertEquals(List.of(true), room);
        queue.take(ADDRESS, LONG);
        queue.add("d");
        queue.take(ADDRESS, LONG);
        assertEquals(List.of(true), room, "it was never full meanwhile");
    }

    @Test
    void shouldLoseNothingIfRoomCannotBeReported() {
        List<String> reports = new ArrayList<>();
        queue.onRoom(() -> {
            reports.add("report");
            if (reports.size() == 1) {
                throw new OutOfMemoryError("of the test");
            }
        });
        queue.add("a");
        queue.add("b");
        assertThrows(OutOfMemoryError.class, () -> queue.take(ADDRESS, LONG));
        assertEquals("a", queue.take(ADDRESS, LONG));
        assertEquals(2, reports.size());
    }

    @Test
    void shouldSayWhatDidNotCome() {
        String said = assertThrows(VerbsTimeoutException.class, () -> queue.take(ADDRESS, Duration.ofMillis(1))).getMessage();
        assertTrue(said.startsWith("no guest came to " + Route.text(ADDRESS) + " within "), said);
    }

    @Test
    void shouldWakeAThreadThatWaits() {
        CompletableFuture<String> taken = CompletableFuture.supplyAsync(() -> queue.take(ADDRESS, LONG));
        assertTrue(queue.add("a"));
        assertEquals("a", taken.join());
    }

    @Test
    void shouldGiveBackWhatWaitsWhenItIsClosed() {
        queue.add("a");
        assertEquals(Optional.of(List.of("a")), queue.close());
        assertEquals(Optional.empty(), queue.close());
        assertFalse(queue.add("b"));
        assertThrows(ClosedException.class, () -> queue.take(ADDRESS, LONG));
    }

    @Test
    void shouldEndTheWaitWhenItIsClosed() {
        CompletableFuture<String> taken = CompletableFuture.supplyAsync(() -> queue.take(ADDRESS, LONG));
        queue.close();
        assertEquals(ClosedException.class, assertThrows(CompletionException.class, taken::join).getCause().getClass());
    }
}

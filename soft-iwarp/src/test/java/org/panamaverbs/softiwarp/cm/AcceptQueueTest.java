package org.panamaverbs.softiwarp.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;

class AcceptQueueTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);

    private final AcceptQueue<String> queue = new AcceptQueue<>("guest", 2);

    @Test
    void shouldGiveTheOldestFirstAndNoMoreThanFit() {
        assertTrue(queue.add("a"));
        assertTrue(queue.add("b"));
        assertFalse(queue.add("c"));
        assertEquals("a", queue.take(ADDRESS, LONG));
        assertTrue(queue.add("d"));
        assertEquals("b", queue.take(ADDRESS, Duration.ZERO));
        assertEquals("d", queue.take(ADDRESS, Duration.ZERO));
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
        assertFalse(queue.isClosed());
        assertEquals(Optional.of(List.of("a")), queue.close());
        assertTrue(queue.isClosed());
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

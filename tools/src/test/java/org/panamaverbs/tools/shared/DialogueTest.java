package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.panamaverbs.Configuration;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.PeerNetwork;

@Execution(ExecutionMode.CONCURRENT)
class DialogueTest {
    @Test
    void shouldNotTakeAPeerAtWorkForASilentOne() {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress("127.0.0.1", 0), 1);
                Resources resources = new Resources(verbs.device(), 16)) {
            CompletableFuture<SilentClient> client = CompletableFuture
                    .supplyAsync(() -> new SilentClient(verbs.device(), listener.address()));
            ConnectionRequest request = listener.awaitRequest(SilentClient.PATIENCE);
            Dialogue dialogue = new Dialogue(resources, 16, SilentClient.PATIENCE);
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(4, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            dialogue.connected(request.accept(ConnectionParameters.defaults(), SilentClient.PATIENCE));
            Place place = new Place(PeerNetwork.UNKNOWN);
            dialogue.mayLose(place);
            AtomicInteger looks = new AtomicInteger();
            CompletableFuture<Duration> silence = new CompletableFuture<>();
            CompletableFuture<Duration> waited = new CompletableFuture<>();
            long start = System.nanoTime();
            dialogue.measureProgressBy(() -> {
                // One when the wait begins, then one a second.
                if (looks.incrementAndGet() == 4) {
                    long now = System.nanoTime();
                    silence.complete(place.silence(now));
                    waited.complete(Duration.ofNanos(now - start));
                    client.join().close();
                }
                return looks.get();
            });
            assertNull(dialogue.receive(), "the peer has left");
            assertTrue(silence.join().isPositive() && waited.join().minus(silence.join()).toMillis() > 1500,
                    () -> "silent for " + silence.join() + " of " + waited.join());
        }
    }
}

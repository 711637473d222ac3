package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.sockets.StreamOptions;

/** The streams of channels that meet a failure. */
@Timeout(60)
class StreamLinkTest {
    private final AtomicInteger closes = new AtomicInteger();
    private final ConnectionRequest request = (ConnectionRequest) Proxy.newProxyInstance(StreamLinkTest.class.getClassLoader(),
            new Class<?>[] { ConnectionRequest.class }, (proxy, method, arguments) -> {
                if (method.getName().equals("close")) {
                    closes.incrementAndGet();
                }
                return null;
            });

    @Test
    void shouldCloseTheRequestOnceIfTheStreamCannotBegin() throws Exception {
        CountDownLatch changed = new CountDownLatch(1);
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        StreamLink link = new StreamLink(null, changed::countDown);
        link.chooseLoop(device -> {
            worker.complete(Thread.currentThread());
            throw new IllegalStateException("no loop, for the test");
        });
        link.accept(request, Duration.ofSeconds(1), StreamOptions.defaults());
        changed.await();
        while (worker.join().getState() == Thread.State.RUNNABLE) {
            // Until the worker rests, the link may still use the request.
            Thread.onSpinWait();
        }
        link.close(true);
        assertTrue(link.problem().getMessage().contains("no loop, for the test"), () -> link.problem().getMessage());
        assertEquals(1, closes.get());
    }

    /** Another thread closes the channel after the check of the one that writes. */
    @Test
    void shouldNotSayThatItHasWrittenWhatTheProgramsOwnEndHasKeptBack() throws Exception {
        shouldNotWriteAfter(StreamLink::shutdownOutput);
        shouldNotWriteAfter(link -> link.close(false));
    }

    private static void shouldNotWriteAfter(Consumer<StreamLink> end) throws Exception {
        try (Providers.Pair pair = Providers.Pair.of(Providers.of("epoll"))) {
            StreamLink link = ((StreamCarrier) ((VerbsSocketChannel) pair.near()).carrier()).link();
            end.accept(link);
            pair.far().close();
            ByteBuffer[] from = { ByteBuffer.allocate(1) };
            String message = "";
            // Also after the stream has ended, as the peer has answered.
            while (!message.equals("Broken pipe")) {
                message = assertThrows(IOException.class, () -> link.write(from, 0, 1)).getMessage();
                assertEquals(1, from[0].remaining());
            }
        }
    }
}

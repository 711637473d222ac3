package org.panamaverbs.softiwarp.cm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/** A listening port whose callbacks fail. */
class ListeningPortTest {
    private static final Terms TERMS = new Terms(2, true, 1, 1, new byte[0]);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);

    @Test
    void shouldCloseAPeerThatItCannotRefuseInGoodOrder() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "passive", 0);
                EventLoop peers = new EventLoop(new NioMultiplexer(), "active", 0)) {
            CompletableFuture<PassiveOpen<Void>> requested = new CompletableFuture<>();
            ListeningPort<Channel> port = ListeningPort.<Void>open(loop, Peers.loopback(0), new AcceptQueue<>("peer", 4),
                    Route.USUAL_SERVICE, LONG_NANOS, new AdmissionLimits(1, 1, 0, 0), requested::complete, () -> {
                        throw new IllegalStateException("a defect of the counter");
                    });
            // It waits for the answer until the end.
            connecting(peers, port);
            requested.orTimeout(60, TimeUnit.SECONDS).join();
            ActiveOpen<Void> second = connecting(peers, port);
            VerbsException failure = assertThrows(VerbsException.class, () -> second.await(LIMIT));
            assertFalse(failure instanceof VerbsTimeoutException, failure::toString);
            port.close();
        }
    }

    @Test
    void shouldDropAPeerOnceThatItCannotServe() throws InterruptedException {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "failing", 0)) {
            AtomicLong dropped = new AtomicLong();
            CountDownLatch accepted = new CountDownLatch(3);
            ListeningPort<Object> port = ListeningPort.open(loop, new Endless(),
                    (acceptor, handler) -> loop.execute(() -> handler.onReady(1)), peer -> dropped.incrementAndGet(),
                    new AcceptQueue<>("peer", 4), peer -> {
                        accepted.countDown();
                        throw new IllegalStateException("a defect");
                    });
            assertTrue(accepted.await(60, TimeUnit.SECONDS));
            port.close();
            assertTrue(dropped.get() >= 2, () -> dropped + " peers were dropped");
        }
    }

    /** A port at which peers come without end. */
    private static final class Endless implements Acceptor<Object> {
        @Override
        public Object accept() {
            return this;
        }

        @Override
        public InetSocketAddress address() {
            return Peers.loopback(1);
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static ActiveOpen<Void> connecting(EventLoop loop, ListeningPort<Channel> port) {
        ActiveOpen<Void> open = new ActiveOpen<>(loop, path -> TERMS, (opened, agreement) -> {
            throw new AssertionError("the peer has accepted");
        });
        open.connect(Route.to(port.address()));
        return open;
    }
}

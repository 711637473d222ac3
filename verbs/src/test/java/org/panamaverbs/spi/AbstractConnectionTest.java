package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.cm.ConnectionEnd;

class AbstractConnectionTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final InetSocketAddress THERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);
    private static final QueuePair QUEUE_PAIR = (QueuePair) Proxy.newProxyInstance(AbstractConnectionTest.class.getClassLoader(),
            new Class<?>[] { QueuePair.class }, (_, _, _) -> null);

    private final byte[] said = { 1, 2 };
    private final Ending connection = new Ending(said);

    @Test
    void shouldSayWhatItWasMadeOf() {
        said[0] = 9;
        connection.privateData()[1] = 9;
        assertEquals(1, connection.privateData()[0]);
        assertEquals(2, connection.privateData()[1]);
        assertEquals(HERE, connection.localAddress());
        assertEquals(THERE, connection.remoteAddress());
        assertEquals(3, connection.inboundReads());
        assertEquals(4, connection.outboundReads());
    }

    @Test
    void shouldKeepTheFirstEnd() {
        assertTrue(connection.isConnected());
        assertTrue(connection.end().isEmpty());
        assertFalse(connection.awaitDisconnected(Duration.ZERO));
        ConnectionEnd lost = new ConnectionEnd(ConnectionEnd.Cause.LOST, OptionalInt.empty(), Optional.of(new PeerException("it died")));
        connection.end(lost);
        connection.end(ConnectionEnd.orderly());
        assertFalse(connection.isConnected());
        assertSame(lost, connection.end().orElseThrow());
        assertTrue(connection.awaitDisconnected(Duration.ZERO));
    }

    /** Not in the thread that ends the connection, which may hold locks. */
    @Test
    void shouldRunDependentsInAnotherThreadThatNeedsNoCarrier() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        connection.ended().thenRun(() -> ran.complete(Thread.currentThread()));
        connection.end(ConnectionEnd.orderly());
        assertNotSame(Thread.currentThread(), ran.get(60, TimeUnit.SECONDS));
        assertFalse(ran.get().isVirtual());
    }

    @Test
    void shouldTellTheEndToAProgramThatAsksLater() throws Exception {
        connection.end(ConnectionEnd.orderly());
        assertSame(ConnectionEnd.orderly(), connection.ended().toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertSame(ConnectionEnd.orderly(), connection.ended().toCompletableFuture().get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldKeepTheRulesOfWaits() {
        assertThrows(IllegalArgumentException.class, () -> connection.awaitDisconnected(Duration.ofNanos(-1)));
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, () -> connection.awaitDisconnected(Duration.ofSeconds(10)));
        assertTrue(Thread.interrupted(), "the thread stays interrupted");
    }

    private static final class Ending extends AbstractConnection {
        private Ending(byte[] privateData) {
            super(QUEUE_PAIR, HERE, THERE, privateData, 3, 4);
        }

        @Override
        public void disconnect() {
            end(ConnectionEnd.orderly());
        }
    }
}

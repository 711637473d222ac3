package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/**
 * A connection that is given up at the moment at which it comes about: a closed object stays closed, and the peer sees the end. Nothing is
 * left through which it could still write.
 */
class LateCloseTest {
    private static final long STRESS_NANOS = Proofs.loopNanos();
    private static final int MOST_DELAY_NANOS = 300_000;
    private static final long SHORTEST_NANOS = 1000;
    private static final int START_SIZE = 24;

    private final Random random = new Random(7);

    /** The object that is closed while a thread waits for the connection. */
    enum Closed {
        CONNECTION_TO_BE, QUEUE_PAIR
    }

    private static void pass(long nanos) {
        for (long start = System.nanoTime(); System.nanoTime() - start < nanos;) {
            Thread.onSpinWait();
        }
    }

    /** Reads up to the end; {@code false} if that does not come. */
    private static boolean ends(Socket socket) {
        try {
            socket.setSoTimeout((int) Host.LIMIT.toMillis());
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** The peer itself closes, in the same process, so that the moment is near: some time after its Reply has gone. */
    @ParameterizedTest
    @CsvSource({ "epoll, CONNECTION_TO_BE", "epoll, QUEUE_PAIR", "nio, CONNECTION_TO_BE", "nio, QUEUE_PAIR" })
    void shouldEndAConnectionThatIsClosedAsItIsMade(String transport, Closed what) throws Exception {
        AtomicReference<Runnable> closing = new AtomicReference<>();
        BlockingQueue<Boolean> ended = new LinkedBlockingQueue<>();
        try (Host host = new Host(transport); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, START_SIZE);
            socket.getOutputStream().write(Forge.start(false, true, 16, 16));
            pass(random.nextInt(MOST_DELAY_NANOS));
            closing.get().run();
            ended.add(ends(socket));
        })) {
            long start = System.nanoTime();
            for (int round = 0; System.nanoTime() - start < STRESS_NANOS; round++) {
                CountDownLatch closed = new CountDownLatch(1);
                Host.End end = host.end();
                Connector connector = host.connections.connector(server.address(), Host.LIMIT);
                end.queuePair = connector.createQueuePair(host.domain, QueuePairAttributes.of(end.queue));
                closing.set(() -> {
                    if (what == Closed.CONNECTION_TO_BE) {
                        connector.close();
                    } else {
                        end.queuePair.close();
                    }
                    closed.countDown();
                });
                try {
                    end.connection = connector.connect(ConnectionParameters.defaults(), Host.LIMIT);
                } catch (VerbsException | IllegalStateException e) {
                    // Closed while it was to connect.
                }
                assertTrue(closed.await(60, TimeUnit.SECONDS), "the close does not return");
                closeAll(connector, end);
                assertEnds(ended.poll(2 * Host.LIMIT.toSeconds(), TimeUnit.SECONDS), round);
                end.queue.close();
            }
        }
    }

    /** A close that came too late did nothing; one more does no harm. */
    private static void closeAll(AutoCloseable made, Host.End end) throws Exception {
        made.close();
        if (end.connection != null) {
            end.connection.close();
        }
    }

    private static void assertEnds(Boolean ended, int round) {
        assertTrue(Boolean.TRUE.equals(ended), "the peer of a connection that was given up saw no end of it, in round " + round);
    }

    /** Each success shortens the time that the next attempts get, and each failure prolongs it: so both outcomes occur. */
    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldEndAConnectionThatIsMadeAsTheTimeIsUp(String transport) throws Exception {
        BlockingQueue<Boolean> ended = new LinkedBlockingQueue<>();
        try (Host host = new Host(transport); RawServer server = new RawServer(socket -> {
            if (RawServer.read(socket, START_SIZE).length == START_SIZE) {
                socket.getOutputStream().write(Forge.start(false, true, 16, 16));
            }
            ended.add(ends(socket));
        })) {
            long given = Host.LIMIT.toNanos();
            int made = 0;
            int late = 0;
            long start = System.nanoTime();
            for (int round = 0; goesOn(System.nanoTime() - start, made > 0 && late > 0); round++) {
                Duration timeout = round == 0 ? Host.LIMIT : Duration.ofNanos(given / 2 + random.nextLong(given));
                Host.End end = host.end();
                try (Connector connector = host.connections.connector(server.address(), Host.LIMIT)) {
                    end.queuePair = connector.createQueuePair(host.domain, QueuePairAttributes.of(end.queue));
                    long before = System.nanoTime();
                    Connection connection = connector.connect(ConnectionParameters.defaults(), timeout);
                    made += round == 0 ? 0 : 1;
                    given = round == 0 ? System.nanoTime() - before : Math.max(SHORTEST_NANOS, given - given / 8);
                    connection.close();
                } catch (VerbsTimeoutException e) {
                    late++;
                    given += given / 8;
                }
                assertEnds(ended.poll(2 * Host.LIMIT.toSeconds(), TimeUnit.SECONDS), round);
                end.queue.close();
            }
            assertTrue(made > 0, "each attempt was late, of " + late);
            assertTrue(late > 0, "no attempt was late, of " + made);
        }
    }

    /** Ends after the usual time, or much later if one of the two outcomes did not occur. */
    private static boolean goesOn(long nanos, boolean both) {
        return nanos < (both ? STRESS_NANOS : Host.LIMIT.toNanos());
    }

    /** Another thread closes a request, or its queue pair, while one accepts it. */
    @ParameterizedTest
    @CsvSource({ "epoll, CONNECTION_TO_BE", "epoll, QUEUE_PAIR", "nio, CONNECTION_TO_BE", "nio, QUEUE_PAIR" })
    void shouldEndAConnectionThatIsClosedAsItIsAccepted(String transport, Closed what) throws Exception {
        try (Host host = new Host(transport)) {
            long start = System.nanoTime();
            for (int round = 0; System.nanoTime() - start < STRESS_NANOS; round++) {
                try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                    ConnectionRequest request = host.listener.awaitRequest(Host.LIMIT);
                    Host.End end = host.end();
                    end.queuePair = request.createQueuePair(host.domain, QueuePairAttributes.of(end.queue));
                    CompletableFuture<Void> accepted = new CompletableFuture<>();
                    CountDownLatch about = new CountDownLatch(1);
                    Thread.ofPlatform().daemon().start(() -> {
                        about.countDown();
                        try {
                            end.connection = request.accept(ConnectionParameters.defaults(), Host.LIMIT);
                        } catch (VerbsException | IllegalStateException e) {
                            // Closed while it was to accept.
                        }
                        accepted.complete(null);
                    });
                    about.await();
                    pass(random.nextInt(MOST_DELAY_NANOS));
                    if (what == Closed.CONNECTION_TO_BE) {
                        request.close();
                    } else {
                        end.queuePair.close();
                    }
                    Host.get(accepted);
                    closeAll(request, end);
                    assertEnds(peer.endsWithin(Host.LIMIT), round);
                    end.queue.close();
                }
            }
        }
    }
}

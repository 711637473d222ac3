package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.sockets.Stages.LOOPBACK;
import static org.panamaverbs.sockets.Stages.SOON;
import static org.panamaverbs.sockets.Stages.failure;
import static org.panamaverbs.sockets.Stages.get;
import static org.panamaverbs.sockets.Stages.isDone;
import static org.panamaverbs.sockets.Stages.room;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.ClosedException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** Connects and accepts without a thread that waits. */
@ParameterizedClass
@Transports({ "shared-memory", "epoll", "nio" })
class ConnectStagesTest {
    @Parameter
    private String transport;
    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsServerSocket server;

    @BeforeEach
    void open() throws IOException {
        verbs = Stages.open(transport);
        sockets = VerbsSockets.open(verbs);
        server = sockets.listen(LOOPBACK, 8);
    }

    @AfterEach
    void close() {
        server.close();
        sockets.close();
        verbs.close();
    }

    @Test
    void shouldGiveUpAConnectThatAPeerDoesNotAnswer() throws Exception {
        try (Listener silent = ConnectionManager.of(verbs).listen(LOOPBACK, 8)) {
            CompletableFuture<VerbsSocket> connecting = sockets.connectAsync(silent.address()).toCompletableFuture();
            try (ConnectionRequest request = silent.awaitRequest(SOON)) {
                assertFalse(connecting.isDone());
                failure(TimeoutException.class, connecting.orTimeout(10, TimeUnit.MILLISECONDS));
                // The peer finds that the attempt is over.
                request.createQueuePair(verbs.device().allocateProtectionDomain(),
                        QueuePairAttributes.of(verbs.device().createCompletionQueue(64)).withDepths(4, 4));
                assertTrue(fails(request));
            }
        }
    }

    private static boolean fails(ConnectionRequest request) {
        try {
            return request.accept(ConnectionParameters.defaults(), SOON).awaitDisconnected(SOON);
        } catch (VerbsException e) {
            return true;
        }
    }

    /** At whichever step the attempt is. A socket that is lost would stay among the streams. */
    @Test
    void shouldLeaveNoStreamOfAConnectThatIsCancelled() throws Exception {
        StreamLoop streams = sockets.loop(verbs.device()).streams();
        long begin = System.nanoTime();
        try (VerbsServerSocket silent = sockets.listen(LOOPBACK, 8)) {
            for (int i = 0; System.nanoTime() - begin < Proofs.loopNanos(); i++) {
                CompletableFuture<VerbsSocket> connecting = sockets.connectAsync(silent.address()).toCompletableFuture();
                LockSupport.parkNanos(i * 10_000L % 2_000_000);
                if (connecting.cancel(false)) {
                    assertTrue(connecting.isCancelled());
                } else {
                    get(connecting).close();
                }
            }
        }
        while (streams.streams() > 0) {
            assertTrue(System.nanoTime() - begin < SOON.toNanos(), () -> streams.streams() + " streams");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldCloseASocketThatConnectsWhileTheServerSocketCloses() throws Exception {
        AcceptedSockets accepted = new AcceptedSockets(() -> {
        });
        try (VerbsSocket _ = sockets.connect(server.address(), SOON)) {
            VerbsSocket late = server.accept(SOON);
            accepted.close(new ClosedException("the server socket is closed"));
            accepted.add(late);
            assertTrue(late.stream().isClosed());
            failure(IOException.class, accepted.take());
        }
    }

    @Test
    void shouldSayWhyItDoesNotConnect() throws Exception {
        // It is bound and does not listen: no other program gets the port.
        try (Socket deserted = new Socket()) {
            deserted.bind(LOOPBACK);
            InetSocketAddress address = (InetSocketAddress) deserted.getLocalSocketAddress();
            IOException failure = failure(IOException.class, sockets.connectAsync(address));
            assertTrue(failure.getMessage().contains("refuses connections"), failure.getMessage());
            IOException same = assertThrows(IOException.class, () -> sockets.connect(address, SOON));
            assertSame(same.getClass(), failure.getClass());
        }
    }

    @Test
    void shouldAcceptInTheOrderOfTheStages() throws Exception {
        CompletableFuture<VerbsSocket> first = server.acceptAsync().toCompletableFuture();
        CompletableFuture<VerbsSocket> second = server.acceptAsync().toCompletableFuture();
        CompletableFuture<VerbsSocket> third = server.acceptAsync().toCompletableFuture();
        assertTrue(first.cancel(false));
        try (VerbsSocket one = sockets.connect(server.address(), SOON)) {
            try (VerbsSocket accepted = get(second)) {
                assertEquals(one.localAddress(), accepted.remoteAddress());
            }
            assertFalse(third.isDone());
        }
        server.close();
        failure(AsynchronousCloseException.class, third);
        assertTrue(failure(IOException.class, server.acceptAsync()).getMessage().contains("closed"));
        assertTrue(assertThrows(IOException.class, () -> server.accept(SOON)).getMessage().contains("closed"));
    }

    @Test
    void shouldGiveTheNextStageThePeerThatATimeOutHasMissed() throws Exception {
        failure(TimeoutException.class, server.acceptAsync().toCompletableFuture().orTimeout(10, TimeUnit.MILLISECONDS));
        try (VerbsSocket one = sockets.connect(server.address(), SOON); VerbsSocket accepted = get(server.acceptAsync())) {
            assertEquals(one.localAddress(), accepted.remoteAddress());
        }
    }

    @Test
    void shouldWaitOnForTheNextPeerAfterOneThatDoesNotSpeakTheProtocol() throws Exception {
        CompletionStage<VerbsSocket> accepting = server.acceptAsync();
        try (Connector stranger = ConnectionManager.of(verbs).connector(server.address(), SOON)) {
            stranger.createQueuePair(verbs.device().allocateProtectionDomain(),
                    QueuePairAttributes.of(verbs.device().createCompletionQueue(64)).withDepths(4, 4));
            assertThrows(RejectedException.class, () -> stranger.connect(ConnectionParameters.defaults(), SOON));
        }
        assertFalse(isDone(accepting));
        try (VerbsSocket one = sockets.connect(server.address(), SOON); VerbsSocket accepted = get(accepting)) {
            assertEquals(one.localAddress(), accepted.remoteAddress());
        }
    }

    /** All of them wait at once, and no thread begins for them. */
    @Test
    void shouldLetManyStagesWaitWithoutThreads() throws Exception {
        int many = Proofs.run() ? 1_000 : 200;
        List<VerbsSocket> clients = new ArrayList<>();
        List<VerbsSocket> peers = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            CompletionStage<VerbsSocket> accepted = server.acceptAsync();
            clients.add(get(sockets.connectAsync(server.address())));
            peers.add(get(accepted));
        }
        ManagementFactory.getThreadMXBean().resetPeakThreadCount();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        List<ByteBuffer> buffers = new ArrayList<>();
        List<CompletionStage<Integer>> reads = new ArrayList<>();
        for (VerbsSocket client : clients) {
            buffers.add(room(1));
            reads.add(client.readAsync(buffers.getLast()));
        }
        assertTrue(reads.stream().noneMatch(Stages::isDone));
        for (int i = 0; i < many; i++) {
            peers.get(i).writeAsync(ByteBuffer.wrap(new byte[] { (byte) i }));
        }
        for (int i = 0; i < many; i++) {
            assertEquals(1, get(reads.get(i)));
            assertEquals((byte) i, buffers.get(i).get(0));
        }
        int peak = ManagementFactory.getThreadMXBean().getPeakThreadCount();
        // A worker that has to do with the connections may still begin.
        assertTrue(peak < threads + many / 10, peak + " threads, " + threads + " before");
    }
}

package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.sockets.Stages.LOOPBACK;
import static org.panamaverbs.sockets.Stages.SOON;
import static org.panamaverbs.sockets.Stages.get;
import static org.panamaverbs.sockets.Stages.room;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** Stages that are withdrawn, or whose sockets are closed, at the moment of their outcome. */
@ParameterizedClass
@Transports({ "shared-memory", "epoll", "nio" })
class StageRacesTest {
    private static final int PART = 100_000;

    @Parameter
    private String transport;
    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsServerSocket server;
    private final Random random = new Random(1);

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

    private void pause() {
        LockSupport.parkNanos(random.nextInt(200_000));
    }

    /** It completes, with whatever outcome. */
    private static void complete(CompletionStage<?> stage) throws Exception {
        try {
            get(stage);
        } catch (ExecutionException e) {
            assertTrue(e.getCause() instanceof IOException, () -> e.getCause().toString());
        }
    }

    /** A read has bytes, or was cancelled and has none. */
    @Test
    void shouldLoseNoByteOfAReadThatIsCancelled() throws Exception {
        try (VerbsSocket near = sockets.connect(server.address(), SOON); VerbsSocket far = server.accept(SOON)) {
            long begin = System.nanoTime();
            for (int i = 0; System.nanoTime() - begin < Proofs.loopNanos(); i++) {
                byte expected = (byte) i;
                ByteBuffer into = room(10);
                CompletionStage<Integer> reading = near.readAsync(into);
                far.writeAsync(ByteBuffer.wrap(new byte[] { expected }));
                if (reading.toCompletableFuture().cancel(false)) {
                    assertEquals(0, into.position());
                    assertEquals(1, get(near.readAsync(into)));
                } else {
                    assertEquals(1, get(reading));
                }
                assertEquals(1, into.position());
                assertEquals(expected, into.get(0));
            }
        }
    }

    /** The bytes go on at the position of the buffer. */
    @Test
    void shouldCountTheBytesOfWritesThatAreCancelled() throws Exception {
        try (VerbsSocket near = sockets.connect(server.address(), SOON); VerbsSocket far = server.accept(SOON)) {
            far.setTimeout(SOON);
            CompletableFuture<Long> reading = CompletableFuture.supplyAsync(() -> sequence(far), task -> Thread.ofPlatform().start(task));
            long written = 0;
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < Proofs.loopNanos()) {
                ByteBuffer from = room(PART);
                while (from.hasRemaining()) {
                    from.put((byte) (written + from.position()));
                }
                CompletionStage<Void> writing = near.writeAsync(from.flip());
                pause();
                if (!writing.toCompletableFuture().cancel(false)) {
                    get(writing);
                    assertEquals(PART, from.position());
                }
                written += from.position();
            }
            near.shutdownOutput();
            assertEquals(written, get(reading));
        }
    }

    /** {@return how many bytes there are until the end, each one more than the last} */
    private static long sequence(VerbsSocket socket) {
        byte[] bytes = new byte[PART];
        long total = 0;
        try {
            InputStream in = socket.inputStream();
            for (int count = in.read(bytes, 0, PART); count >= 0; count = in.read(bytes, 0, PART)) {
                for (int i = 0; i < count; i++) {
                    if (bytes[i] != (byte) (total + i)) {
                        throw new AssertionError("byte " + (total + i) + " is wrong");
                    }
                }
                total += count;
            }
            return total;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldCompleteAllStagesOfASocketThatIsClosed() throws Exception {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < Proofs.loopNanos()) {
            try (VerbsSocket near = sockets.connect(server.address(), SOON); VerbsSocket far = server.accept(SOON)) {
                CompletionStage<Integer> reading = near.readAsync(room(10));
                CompletionStage<Void> writing = near.writeAsync(room(4 << 20));
                far.writeAsync(room(10));
                (random.nextBoolean() ? near : far).abort();
                complete(reading);
                complete(writing);
                complete(near.readAsync(room(10)));
            }
        }
    }

    @Test
    void shouldCompleteAllStagesWhenTheSocketsAreClosed() throws Exception {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < Proofs.loopNanos()) {
            List<CompletionStage<?>> stages = new ArrayList<>();
            try (VerbsSockets others = VerbsSockets.open(verbs)) {
                for (int i = 0; i < 4; i++) {
                    CompletionStage<VerbsSocket> connecting = others.connectAsync(server.address());
                    stages.add(connecting);
                    stages.add(connecting.thenCompose(socket -> socket.readAsync(room(1))));
                    stages.add(server.acceptAsync().toCompletableFuture().orTimeout(1, TimeUnit.SECONDS).handle((socket, failure) -> {
                        if (socket != null) {
                            socket.close();
                        }
                        return socket;
                    }));
                }
                pause();
            }
            for (CompletionStage<?> each : stages) {
                complete(each);
            }
        }
    }
}

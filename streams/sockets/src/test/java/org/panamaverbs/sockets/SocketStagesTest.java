package org.panamaverbs.sockets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.testing.Transports;

/** The waits without a thread, rule by rule. */
@ParameterizedClass
@Transports({ "shared-memory", "epoll", "nio" })
class SocketStagesTest {
    /** More than a stream takes for a peer that does not read. */
    private static final int MUCH = 4 << 20;

    @Parameter
    private String transport;
    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsServerSocket server;
    private VerbsSocket near;
    private VerbsSocket far;

    @BeforeEach
    void connect() throws Exception {
        verbs = Stages.open(transport);
        sockets = VerbsSockets.open(verbs);
        server = sockets.listen(LOOPBACK, 8);
        CompletionStage<VerbsSocket> accepted = server.acceptAsync();
        near = get(sockets.connectAsync(server.address()));
        far = get(accepted);
        near.setTimeout(SOON);
        far.setTimeout(SOON);
    }

    @AfterEach
    void close() {
        server.close();
        near.close();
        far.close();
        sockets.close();
        verbs.close();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static String text(ByteBuffer buffer) {
        return UTF_8.decode(buffer.flip()).toString();
    }

    /** A write that waits, since the peer does not read. */
    private CompletionStage<Void> longWrite(ByteBuffer bytes) {
        CompletionStage<Void> writing = near.writeAsync(bytes);
        assertFalse(isDone(writing));
        return writing;
    }

    @Test
    void shouldReadWhatComesLater() throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(10).position(1);
        CompletionStage<Integer> reading = near.readAsync(into);
        assertFalse(isDone(reading));
        CompletionStage<Void> writing = far.writeAsync(UTF_8.encode("hello"));
        assertTrue(isDone(writing));
        assertEquals(5, get(reading));
        assertEquals(6, into.position());
        assertEquals("hello", text(into.position(6)).substring(1));
    }

    @Test
    void shouldBeCompleteAtOnceIfThereIsNothingToWaitFor() throws IOException {
        far.outputStream().write("hello".getBytes(UTF_8));
        assertEquals('h', near.inputStream().read());
        ByteBuffer into = room(10);
        CompletionStage<Integer> reading = near.readAsync(into);
        assertTrue(isDone(reading));
        assertEquals("ello", text(into));
        assertTrue(isDone(near.readAsync(room(0))));
        assertTrue(isDone(near.writeAsync(room(0))));
    }

    @Test
    void shouldWriteAllBytesInOrder() throws Exception {
        byte[] bytes = random(MUCH);
        ByteBuffer from = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
        CompletionStage<Void> writing = longWrite(from);
        assertArrayEquals(bytes, far.inputStream().readNBytes(bytes.length));
        get(writing);
        assertFalse(from.hasRemaining());
    }

    @Test
    void shouldReadTheEndOfThePeersOutput() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        far.shutdownOutput();
        assertEquals(-1, get(reading));
        assertEquals(-1, get(near.readAsync(room(1))));
    }

    @Test
    void shouldCompleteInTheThreadOfTheLoop() throws Exception {
        CompletionStage<String> thread = near.readAsync(room(1)).thenApply(count -> Thread.currentThread().getName());
        far.outputStream().write(1);
        assertTrue(get(thread).startsWith("sockets-"), get(thread));
    }

    /** Instead of waiting for itself. */
    @Test
    void shouldRefuseToWaitInTheThreadOfTheLoop() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1)).thenApply(count -> {
            try {
                return far.inputStream().read();
            } catch (IOException e) {
                return -2;
            }
        });
        far.writeAsync(room(1));
        failure(IllegalStateException.class, reading);
        CompletionStage<Integer> next = near.readAsync(room(1));
        far.writeAsync(room(1));
        assertEquals(1, get(next));
    }

    @Test
    void shouldHaveOneReadThatWaits() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        failure(ReadPendingException.class, near.readAsync(room(1)));
        assertThrows(ReadPendingException.class, () -> near.inputStream().read());
        far.outputStream().write(1);
        assertEquals(1, get(reading));
    }

    @Test
    void shouldHaveOneWriteThatWaits() throws Exception {
        CompletionStage<Void> writing = longWrite(room(MUCH));
        failure(WritePendingException.class, near.writeAsync(room(1)));
        assertThrows(WritePendingException.class, () -> near.outputStream().write(1));
        far.inputStream().skipNBytes(MUCH);
        get(writing);
    }

    @Test
    void shouldReadInAStageWhileAThreadWrites() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try {
                near.outputStream().write(new byte[MUCH]);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task));
        far.outputStream().write(1);
        assertEquals(1, get(reading));
        far.inputStream().skipNBytes(MUCH);
        get(writing);
    }

    @Test
    void shouldFailWhatWaitsWhenTheProgramClosesTheSocket() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        CompletionStage<Void> writing = longWrite(room(MUCH));
        near.close();
        failure(AsynchronousCloseException.class, reading);
        failure(AsynchronousCloseException.class, writing);
        assertEquals("the stream is closed", failure(IOException.class, near.readAsync(room(1))).getMessage());
        assertEquals("the stream is closed", failure(IOException.class, near.writeAsync(room(1))).getMessage());
    }

    @Test
    void shouldFailWhatWaitsWhenTheProgramClosesAllSockets() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        CompletionStage<Void> writing = longWrite(room(MUCH));
        try (Listener silent = ConnectionManager.of(verbs).listen(LOOPBACK, 8)) {
            CompletionStage<VerbsSocket> connecting = sockets.connectAsync(silent.address());
            ConnectionRequest request = silent.awaitRequest(SOON);
            sockets.close();
            failure(AsynchronousCloseException.class, connecting);
            request.close();
        }
        failure(AsynchronousCloseException.class, reading);
        failure(AsynchronousCloseException.class, writing);
        failure(IOException.class, near.readAsync(room(1)));
        failure(IOException.class, sockets.connectAsync(server.address()));
    }

    /** As a loop that is closed would not complete what it is to complete in its next turn. */
    @Test
    void shouldFailManyReadsInARowOfAClosedSocket() {
        for (int i = 0; i < SocketStages.MOST_AT_ONCE; i++) {
            assertTrue(isDone(near.readAsync(room(0))));
        }
        sockets.close();
        failure(IOException.class, near.readAsync(room(1)));
    }

    @Test
    void shouldFailAWriteWhoseOutputIsShutDown() throws Exception {
        CompletionStage<Void> writing = longWrite(room(MUCH));
        near.shutdownOutput();
        assertEquals("the output of the stream is shut down", failure(IOException.class, writing).getMessage());
    }

    @Test
    void shouldFailAsTheMethodsThatWaitWhenThePeerCuts() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        CompletionStage<Void> writing = longWrite(room(MUCH));
        far.abort();
        String reason = failure(IOException.class, reading).getMessage();
        assertEquals(assertThrows(IOException.class, () -> near.inputStream().read()).getMessage(), reason);
        assertEquals(reason, failure(IOException.class, writing).getMessage());
    }

    @Test
    void shouldFailWhenTheDeviceFails() throws Exception {
        try (VerbsSockets others = VerbsSockets.open(verbs);
                VerbsSocket socket = others.connect(server.address(), SOON);
                VerbsSocket peer = server.accept(SOON)) {
            CompletionStage<Integer> reading = socket.readAsync(room(1));
            others.loop(verbs.device()).streams().cutAll(new SystemException("the device is gone", 19));
            assertEquals("the device is gone", failure(IOException.class, reading).getMessage());
            failure(IOException.class, peer.readAsync(room(1)));
        }
    }

    @Test
    void shouldFailWhenTheProgramClosesTheDeviceFirst() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(1));
        CompletionStage<Void> writing = longWrite(room(MUCH));
        verbs.close();
        failure(IOException.class, reading);
        failure(IOException.class, writing);
        failure(IOException.class, server.acceptAsync());
    }

    @Test
    void shouldLoseNoByteOfAReadThatWasCancelled() throws Exception {
        CompletionStage<Integer> reading = near.readAsync(room(10));
        assertTrue(reading.toCompletableFuture().cancel(true));
        assertThrows(CancellationException.class, () -> get(reading));
        far.outputStream().write("hello".getBytes(UTF_8));
        ByteBuffer into = room(10);
        assertEquals(5, get(near.readAsync(into)));
        assertEquals("hello", text(into));
    }

    @Test
    void shouldGoOnAfterAReadThatTimedOut() throws Exception {
        CompletableFuture<Integer> reading = near.readAsync(room(10)).toCompletableFuture();
        assertSame(reading, reading.orTimeout(10, TimeUnit.MILLISECONDS));
        failure(TimeoutException.class, reading);
        CompletionStage<Integer> withDefault = near.readAsync(room(10)).toCompletableFuture().completeOnTimeout(0, 10,
                TimeUnit.MILLISECONDS);
        assertEquals(0, get(withDefault));
        CompletionStage<Integer> next = near.readAsync(room(10));
        far.outputStream().write(1);
        assertEquals(1, get(next));
    }

    @Test
    void shouldSayHowManyBytesAWriteHadThatTimedOut() throws Exception {
        byte[] bytes = random(MUCH);
        ByteBuffer from = ByteBuffer.wrap(bytes);
        failure(TimeoutException.class, near.writeAsync(from).toCompletableFuture().orTimeout(10, TimeUnit.MILLISECONDS));
        int written = from.position();
        assertTrue(written > 0 && written < MUCH, written + " bytes");
        CompletionStage<Void> rest = near.writeAsync(from);
        assertArrayEquals(bytes, far.inputStream().readNBytes(MUCH));
        get(rest);
        far.outputStream().write(1);
        assertEquals(1, near.inputStream().read());
    }

    @Test
    void shouldLeaveItsOutcomeToTheSockets() throws Exception {
        CompletableFuture<Integer> reading = near.readAsync(room(1)).toCompletableFuture();
        assertThrows(UnsupportedOperationException.class, () -> reading.completeAsync(() -> 1));
        assertThrows(UnsupportedOperationException.class, () -> reading.obtrudeValue(1));
        assertThrows(UnsupportedOperationException.class, () -> reading.obtrudeException(new IOException()));
        far.outputStream().write(1);
        assertEquals(1, get(reading));
        assertFalse(reading.complete(2));
        assertFalse(reading.completeExceptionally(new IOException()));
        assertFalse(reading.cancel(false));
        assertEquals(1, get(reading));
    }

    @Test
    void shouldRefuseBuffersThatItCannotUse() {
        assertThrows(IllegalArgumentException.class, () -> near.readAsync(room(1).asReadOnlyBuffer()));
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer confined = arena.allocate(10).asByteBuffer();
            assertThrows(IllegalArgumentException.class, () -> near.readAsync(confined));
            assertThrows(IllegalArgumentException.class, () -> near.writeAsync(confined));
        }
    }

    @Test
    void shouldFailAReadWhoseMemoryIsFreed() throws Exception {
        CompletionStage<Integer> reading;
        try (Arena arena = Arena.ofShared()) {
            reading = near.readAsync(arena.allocate(10).asByteBuffer());
        }
        far.outputStream().write(1);
        failure(IllegalStateException.class, reading);
        assertEquals(1, near.inputStream().read());
    }

    /** Each continuation begins the next read: those that are complete at once do not pile up on the stack. */
    @Test
    void shouldNotUseUpTheStackOfAProgramThatReadsInContinuations() throws Exception {
        int bytes = 100_000;
        CompletableFuture<Integer> all = new CompletableFuture<>();
        readByteByByte(bytes, all);
        far.outputStream().write(new byte[bytes]);
        assertEquals(bytes, get(all));
    }

    private void readByteByByte(int left, CompletableFuture<Integer> all) {
        near.readAsync(room(1)).whenComplete((count, failure) -> {
            if (failure != null) {
                all.completeExceptionally(failure);
            } else if (left == 1) {
                all.complete(100_000);
            } else {
                readByteByByte(left - 1, all);
            }
        });
    }

    @Test
    void shouldCompleteAStageAlthoughThereIsNoMemoryForThatAtFirst() throws Exception {
        int[] attempts = { 0 };
        PendingStage<Integer> stage = new PendingStage<>() {
            @Override
            boolean withdraw() {
                return false;
            }

            @Override
            Integer result() {
                if (++attempts[0] < 3) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return 7;
            }
        };
        stage.finish(null);
        assertEquals(7, get(stage));
    }
}

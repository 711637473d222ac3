package org.panamaverbs.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Incubating;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.spi.support.Waits;

/**
 * A connected socket. One thread at a time reads, one writes, and any thread closes it.
 *
 * <p><b>Stages.</b> {@link #readAsync} and {@link #writeAsync}, {@link VerbsSockets#connectAsync} and {@link VerbsServerSocket#acceptAsync}
 * wait without a thread, for programs with event loops of their own:
 * <ul>
 * <li>What can be done at once is done in the call, and the stage is complete. Any other stage is completed by the thread that turns the
 * loop of the sockets: a thread of the sockets, or one of the program that waits in a method of such a socket. It runs the stage's
 * continuations. One that waits stops all sockets, so a program hands such work to other threads by the methods of {@link CompletionStage}
 * that end in {@code Async}. A read or write that would have to wait there throws {@link IllegalStateException}. Up to 16 stages in a row
 * are complete when they are returned, the next one is not: so a program may begin a stage in the continuation of the last.
 * <li>A socket has at most one read and one write that wait. A second one fails with {@link java.nio.channels.ReadPendingException} or
 * {@link java.nio.channels.WritePendingException}, and so does a method that waits. A stage that begins while a thread waits in such a
 * method shares the bytes with it in an order that nothing says: a program uses one kind at a time for each direction.
 * <li>A stage fails with the exception that the method that waits would throw, with one difference: if the program closes the socket while
 * a stage waits, it fails with {@link java.nio.channels.AsynchronousCloseException}. Every stage completes when its socket ends.
 * <li>The stages are {@link java.util.concurrent.CompletableFuture}s, which a program can withdraw while they wait: by {@code cancel}, or
 * {@code orTimeout} for a deadline. The socket goes on. No byte of a read that was withdrawn is lost, and the position of the buffer of a
 * write says how many bytes were written. If the stage has an outcome already, {@code cancel} is {@code false}, and the outcome comes. What
 * would take its outcome away, as {@code completeAsync}, throws {@link UnsupportedOperationException}. A stage that depends on it can be
 * cancelled without an effect on it.
 * </ul>
 */
// Tested by VerbsSocketTest, SocketStagesTest.
public final class VerbsSocket implements AutoCloseable {
    private final SocketLoop loop;
    private final ByteStream stream;
    private final SocketStages stages;
    // Made once: a thread that waits allocates nothing.
    private final BooleanSupplier canRead;
    private final BooleanSupplier canWrite;
    private volatile Duration timeout = Verbs.FOREVER;

    /** @param stages the listener of the stream, or behind it */
    VerbsSocket(SocketLoop loop, ByteStream stream, SocketStages stages) {
        this.loop = loop;
        this.stream = stream;
        this.stages = stages;
        canRead = stream::canRead;
        canWrite = stream::canWrite;
    }

    ByteStream stream() {
        return stream;
    }

    void awaitConnected(Duration time) throws IOException {
        boolean settled = false;
        try {
            if (!loop.await(() -> stream.isConnected() || stream.canRead(), time)) {
                throw timedOut(time);
            }
            settled = true;
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!settled) {
                stream.abort();
            }
        }
        IOException failure = stream.failure();
        if (failure != null) {
            stream.close();
            throw failure.getCause() instanceof VerbsTimeoutException ? timedOut(time) : ConnectFailures.asOfJdk(failure);
        }
    }

    private static SocketTimeoutException timedOut(Duration time) {
        return new SocketTimeoutException("Connect timed out after " + Waits.describe(time));
    }

    private void await(BooleanSupplier condition, Duration time) throws IOException {
        if (condition.getAsBoolean()) {
            return;
        }
        try {
            if (!loop.await(condition, time)) {
                throw new SocketTimeoutException("nothing has happened within " + time);
            }
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Limits how long {@link #read} and {@link #write} wait.
     *
     * @param time {@link Verbs#FOREVER} at first. When the time is up they throw {@link SocketTimeoutException}, and the socket goes on
     */
    public void setTimeout(Duration time) {
        timeout = Objects.requireNonNull(time);
    }

    /**
     * Reads bytes, and waits for the first.
     *
     * @param into gets the bytes
     * @return how many, 1 or more; 0 if there is no room for any; -1 at the end of the peer's output
     * @throws SocketTimeoutException                  if none came in time
     * @throws IOException                             if the stream has failed, or is closed
     * @throws java.nio.channels.ReadPendingException if a stage of {@link #readAsync} waits
     */
    public int read(MemorySegment into) throws IOException {
        stages.checkNotReading();
        int length = (int) Math.min(into.byteSize(), Integer.MAX_VALUE);
        int count = stream.read(into, 0, length);
        while (count == 0 && length > 0) {
            await(canRead, timeout);
            count = stream.read(into, 0, length);
        }
        return count;
    }

    /**
     * Writes all bytes. They may be on their way when this returns.
     *
     * @param from the bytes
     * @throws SocketTimeoutException                   if the peer did not take them in time; an unknown part was written
     * @throws IOException                              if the stream has failed, or is closed
     * @throws java.nio.channels.WritePendingException if a stage of {@link #writeAsync} waits
     */
    public void write(MemorySegment from) throws IOException {
        stages.checkNotWriting();
        long at = 0;
        while (at < from.byteSize()) {
            int count = stream.write(from, at, (int) Math.min(from.byteSize() - at, Integer.MAX_VALUE));
            stream.flush();
            at += count;
            if (count == 0) {
                await(canWrite, timeout);
            }
        }
    }

    /**
     * Reads bytes, and waits for the first without a thread: the twin of {@link #read}.
     *
     * @param into gets the bytes from its position to its limit; its position moves behind them. Nothing else uses it until the stage is
     *             complete
     * @return completes with the number of bytes, 1 or more; 0 if there is no room for any; -1 at the end of the peer's output; or with an
     *         {@link IOException} as of {@code read}
     * @throws IllegalArgumentException if the buffer is read-only, or its memory is confined to a thread
     */
    @Incubating("how a stage is withdrawn, and what holds for stages that wait beside each other")
    public CompletionStage<Integer> readAsync(ByteBuffer into) {
        return stages.read(stream, into);
    }

    /**
     * Writes all bytes, and waits for room without a thread: the twin of {@link #write}. They may be on their way when the stage is
     * complete.
     *
     * @param from the bytes from its position to its limit; its position moves as they are written. Nothing else uses it until the stage is
     *             complete
     * @return completes when all are written, or with an {@link IOException} as of {@code write}
     * @throws IllegalArgumentException if the memory of the buffer is confined to a thread
     */
    @Incubating("how a stage is withdrawn, and what holds for stages that wait beside each other")
    public CompletionStage<Void> writeAsync(ByteBuffer from) {
        return stages.write(stream, from);
    }

    /** {@return its input; closing it does nothing} */
    public InputStream inputStream() {
        return new InputStream() {
            private final byte[] single = new byte[1];

            @Override
            public int read() throws IOException {
                int count = VerbsSocket.this.read(MemorySegment.ofArray(single));
                return count < 0 ? -1 : Byte.toUnsignedInt(single[0]);
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return VerbsSocket.this.read(MemorySegment.ofArray(into).asSlice(offset, length));
            }

            @Override
            public int available() {
                return stream.available();
            }
        };
    }

    /** {@return its output, which keeps nothing back; closing it shuts the output down} */
    public OutputStream outputStream() {
        return new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                write(new byte[] { (byte) single });
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                VerbsSocket.this.write(MemorySegment.ofArray(from).asSlice(offset, length));
            }

            @Override
            public void close() {
                shutdownOutput();
            }
        };
    }

    /** Ends its output: the peer reads what was written, and then the end. A stage of {@link #writeAsync} that waits fails. */
    public void shutdownOutput() {
        stream.shutdownOutput();
        stages.outputShut(stream);
    }

    /** {@return the address of this side} */
    public InetSocketAddress localAddress() {
        return Objects.requireNonNull(stream.localAddress());
    }

    /** {@return the address of the peer} */
    public InetSocketAddress remoteAddress() {
        return Objects.requireNonNull(stream.remoteAddress());
    }

    /** Closes it both ways. What was written still goes out, for {@link StreamOptions#linger()} at most. */
    @Override
    public void close() {
        stream.close();
    }

    /** Cuts it: bytes that were written may be lost, and the peer's socket fails. */
    public void abort() {
        stream.abort();
    }
}

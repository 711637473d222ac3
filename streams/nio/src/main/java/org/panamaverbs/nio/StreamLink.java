package org.panamaverbs.nio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Device;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.device.Transport;
import org.panamaverbs.sockets.ByteStream;
import org.panamaverbs.sockets.ConnectFailures;
import org.panamaverbs.sockets.SocketLoop;
import org.panamaverbs.sockets.StreamListener;
import org.panamaverbs.sockets.StreamLoop;
import org.panamaverbs.sockets.StreamOptions;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/**
 * Opens the stream of a channel, and forwards to it.
 *
 * <p>A stream belongs to a loop from its beginning, and a channel gets its selector later. So the stream begins when the channel is
 * registered with a selector, and uses the loop of that selector. A channel that is used without a selector, or not used at all for
 * {@value #PATIENCE_MILLIS} ms, gets the loop that such channels share. The stream of a peer that a server accepts takes bytes before it is
 * connected.
 */
// Tested by StreamLinkTest, ChannelRulesTest, WaitingBytesTest.
final class StreamLink {
    /** A peer waits so long at most for a program that has no selector for the channel. */
    private static final int PATIENCE_MILLIS = 10;

    private static final IOException OUT_OF_MEMORY = new IOException("the stream could not begin for want of memory");
    private static final IOException CLOSED = new IOException("the channel was closed before its stream began");

    /** How far the stream has come. */
    private sealed interface Phase {
    }

    private enum Opening implements Phase {
        OPENING
    }

    private record Open(ByteStream stream, SocketLoop loop) implements Phase {
    }

    /** There never will be a stream. */
    private record Failed(IOException reason) implements Phase {
    }

    /**
     * A connector, or the request of a peer, with which a stream begins.
     *
     * @param opener opens the stream
     * @param closer gives the connector or the request up
     */
    private record Beginning(Device device, BiFunction<StreamLoop, StreamListener, ByteStream> opener, Runnable closer) {
    }

    private final NioVerbs verbs;
    private final Runnable changed;
    private final CompletableFuture<Function<Device, SocketLoop>> loops = new CompletableFuture<>();
    private final CountDownLatch opened = new CountDownLatch(1);
    /** This guards the end of the opening. */
    private volatile Phase phase = Opening.OPENING;
    /** The request of a peer, with which any thread can begin the stream; {@code null} if the program connects. */
    private @Nullable Beginning request;
    /** No further write can cross the peer's close: one has, or the program has ended its own output. */
    private volatile boolean crossed;

    /** @param changed called after each change, by any thread; it must not wait */
    StreamLink(NioVerbs verbs, Runnable changed) {
        this.verbs = verbs;
        this.changed = changed;
    }

    void connect(Route route, Duration timeout, StreamOptions options) {
        beginLater(() -> {
            Connector connector = verbs.connections().connector(route, timeout);
            return new Beginning(connector.device(), (loop, listener) -> loop.connect(connector, timeout, options, listener),
                    connector::close);
        });
    }

    void accept(ConnectionRequest peer, Duration timeout, StreamOptions options) {
        request = new Beginning(peer.device(), (loop, listener) -> loop.accept(peer, timeout, options, listener), peer::close);
        beginLater(() -> request);
    }

    /** By a worker, which may wait for a device, and for the choice of a loop. */
    private void beginLater(Callable<Beginning> source) {
        try {
            Workers.execute(() -> {
                try {
                    Beginning beginning = source.call();
                    awaitChoice();
                    begin(beginning);
                } catch (Exception | Error e) {
                    // The channel waits for an outcome, whatever fails.
                    fail(ioException(e));
                }
            });
        } catch (ResourceException | OutOfMemoryError e) {
            fail(ioException(e));
        }
    }

    private static IOException ioException(Throwable reason) {
        try {
            return switch (reason) {
                case IOException failure -> failure;
                case VerbsException failure -> new IOException(failure.getMessage(), failure);
                default -> new IOException("the stream could not begin: " + reason, reason);
            };
        } catch (OutOfMemoryError e) {
            return OUT_OF_MEMORY;
        }
    }

    /** The channel may be registered with a selector in this time. */
    private void awaitChoice() {
        try {
            loops.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException | InterruptedException e) {
            loops.complete(verbs::loop);
        }
    }

    /** Begins the stream in the loop that was chosen, unless another thread has. A channel that was closed needs none. */
    private void begin(Beginning beginning) {
        try {
            open(beginning);
        } catch (RuntimeException | Error e) {
            // The peer waits for an outcome, whatever fails.
            fail(ioException(e));
        }
        if (phase instanceof Failed && beginning != request) {
            // The step that failed has closed the request of a peer.
            beginning.closer.run();
        }
    }

    private void open(Beginning beginning) {
        synchronized (this) {
            if (phase != Opening.OPENING) {
                return;
            }
            SocketLoop loop = loops.join().apply(beginning.device);
            phase = new Open(beginning.opener.apply(loop.streams(), stream -> changed(stream, loop)), loop);
        }
        opened.countDown();
        changed.run();
    }

    private void fail(IOException reason) {
        synchronized (this) {
            if (phase != Opening.OPENING) {
                return;
            }
            phase = new Failed(reason);
        }
        if (request != null) {
            request.closer.run();
        }
        opened.countDown();
        changed.run();
    }

    private void changed(ByteStream stream, SocketLoop loop) {
        if (phase == Opening.OPENING) {
            // The loop's thread may be faster than the one that begins it.
            phase = new Open(stream, loop);
        }
        changed.run();
    }

    /** The stream of a peer begins, if it has not: the program uses it before it has a selector. */
    private void beginAccepted() {
        if (phase == Opening.OPENING && request != null) {
            loops.complete(verbs::loop);
            begin(request);
        }
    }

    /** Gives the stream its loop, if it has none yet. */
    void chooseLoop(Function<Device, SocketLoop> source) {
        loops.complete(source);
    }

    /** {@return the loop of the stream; {@code null} before there is one} */
    @Nullable
    SocketLoop loop() {
        return phase instanceof Open open ? open.loop : null;
    }

    /** {@return whether it is connected, or will never be} */
    boolean isSettled() {
        Phase current = phase;
        return current instanceof Open open ? open.stream.isConnected() || open.stream.canRead() : current instanceof Failed;
    }

    /** {@return why it never was connected; {@code null} if it is or was} */
    @Nullable
    IOException problem() {
        Phase current = phase;
        if (current instanceof Open open) {
            return open.stream.remoteAddress() == null ? open.stream.failure() : null;
        }
        return current instanceof Failed failed ? failed.reason : null;
    }

    /** {@return whether the peer may still accept a connection of TCP, although it did not get one over verbs} */
    boolean mayAcceptTcp(IOException problem) {
        return !(phase instanceof Open open) || open.loop.streams().device().attributes().transport() != Transport.IWARP
                || !ConnectFailures.concernsTcp(problem);
    }

    boolean canRead() {
        Phase current = phase;
        return current instanceof Open open ? open.stream.canRead() : current instanceof Failed;
    }

    boolean canWrite() {
        return !(phase instanceof Open open) || open.stream.canWrite();
    }

    /** {@return its own address; {@code null} before it is connected} */
    @Nullable
    InetSocketAddress localAddress() {
        return phase instanceof Open open ? open.stream.localAddress() : null;
    }

    /**
     * Waits until a condition holds, as {@link SocketLoop#await} does. An interrupt ends it early: the caller looks at its channel.
     *
     * @return {@code false} if the time is up
     */
    boolean await(BooleanSupplier condition, Duration timeout) throws IOException {
        loops.complete(verbs::loop);
        beginAccepted();
        try {
            if (phase == Opening.OPENING && !opened.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS)) {
                return condition.getAsBoolean();
            }
            return !(phase instanceof Open open) || open.loop.await(condition, timeout) || condition.getAsBoolean();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (WaitInterruptedException e) {
            return true;
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Threads that wait for the stream look at their conditions. */
    void wakeup() {
        if (phase instanceof Open open) {
            open.loop.wakeup();
        }
    }

    /** {@return the stream; {@code null} before there is one} Throws if there never will be. */
    private @Nullable ByteStream stream() throws IOException {
        return switch (phase) {
            case Opening _ -> null;
            case Open open -> open.stream;
            case Failed failed -> throw new IOException(failed.reason.getMessage(), failed.reason);
        };
    }

    /** {@return how many bytes were read; 0 if there are none now; -1 at the end} */
    int read(ByteBuffer into) throws IOException {
        ByteStream stream = stream();
        if (stream == null) {
            return 0;
        }
        int count;
        try {
            count = stream.read(MemorySegment.ofBuffer(into), 0, into.remaining());
        } catch (IOException e) {
            // Programs tell the ends of connections apart by the words of the system.
            throw isReset(e) ? (IOException) new SocketException("Connection reset").initCause(e) : e;
        }
        if (count > 0) {
            into.position(into.position() + count);
        }
        return count;
    }

    private static boolean isReset(IOException failure) {
        return failure.getCause() instanceof SocketException;
    }

    /** {@return how many bytes can be read at once} */
    int available() {
        return phase instanceof Open open ? open.stream.available() : 0;
    }

    /**
     * Writes one buffer after the other, as long as there is room. The bytes go at once, or wait in the stream.
     *
     * @return how many were taken; 0 if there is no room now
     */
    long write(ByteBuffer[] from, int offset, int length) throws IOException {
        beginAccepted();
        ByteStream stream = Objects.requireNonNull(stream());
        stream.lock();
        try {
            long total = write(stream, from, offset, length);
            stream.flush();
            return total;
        } finally {
            stream.unlock();
        }
    }

    private long write(ByteStream stream, ByteBuffer[] from, int offset, int length) throws IOException {
        long total = 0;
        try {
            for (int i = offset; i < offset + length && (i == offset || !from[i - 1].hasRemaining()); i++) {
                total += from[i].hasRemaining() ? write(stream, from[i]) : 0;
            }
        } catch (IOException e) {
            if (total == 0) {
                throw e;
            }
            // The next call says it.
        }
        return total;
    }

    private int write(ByteStream stream, ByteBuffer from) throws IOException {
        int count;
        try {
            count = stream.write(MemorySegment.ofBuffer(from), 0, from.remaining());
        } catch (IOException e) {
            if (!stream.hasEnded()) {
                // Memory is lacking, for instance: later bytes would follow a gap.
                throw e;
            }
            if (crossed || stream.failure() != null) {
                throw new IOException(isReset(e) ? "Connection reset by peer" : "Broken pipe", e);
            }
            // The peer has closed. As over TCP, one write does not know it yet: it could have crossed the close. A program that fails
            // to write may never read the peer's last bytes, for instance the reason why it closes.
            crossed = true;
            count = from.remaining();
        }
        from.position(from.position() + count);
        return count;
    }

    void shutdownOutput() {
        crossed = true;
        beginAccepted();
        if (phase instanceof Open open) {
            open.stream.shutdownOutput();
        }
    }

    /** @param cuts whether bytes that were written may be lost */
    void close(boolean cuts) {
        crossed = true;
        if (cuts) {
            fail(CLOSED);
        } else {
            beginAccepted();
        }
        if (!(phase instanceof Open open)) {
            return;
        }
        if (cuts) {
            open.stream.abort();
            return;
        }
        if (!open.stream.isConnected()) {
            // The peer has connected: it gets the end, though nothing was written.
            open.stream.shutdownOutput();
        }
        open.stream.close();
    }
}

package org.panamaverbs.nio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.device.Transport;
import org.panamaverbs.sockets.ByteStream;
import org.panamaverbs.sockets.ConnectFailures;
import org.panamaverbs.sockets.SocketLoop;
import org.panamaverbs.sockets.StreamOptions;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/**
 * The stream of a channel, from the wish to have one to its end.
 *
 * <p>A stream belongs to a loop from its beginning, and a channel gets its selector later. So the stream begins when the channel is
 * registered with a selector, and uses the loop of that selector. A channel that is used without a selector, or not used at all for
 * {@value #PATIENCE_MILLIS} ms, gets the loop that such channels share.
 */
// Tested by ChannelRulesTest.
final class StreamLink {
    /** A peer waits so long at most for a program that has no selector for the channel. */
    private static final int PATIENCE_MILLIS = 10;

    private static final IOException OUT_OF_MEMORY = new IOException("the stream could not begin for want of memory");

    /** The program's wishes for the stream, in the order in which one follows the other. */
    private enum Wish {
        OPEN, SHUT, CLOSED, CUT
    }

    private final NioVerbs verbs;
    private final Runnable changed;
    private final CompletableFuture<VerbsSelector> selector = new CompletableFuture<>();
    /** Open until there is a stream, or never will be one. */
    private final CountDownLatch begun = new CountDownLatch(1);
    private final BooleanSupplier isSettled = this::isSettled;
    private volatile SocketLoop loop;
    private volatile ByteStream stream;
    /** Why there is no stream. */
    private volatile IOException failure;
    /** Its lock guards {@link #wish} and {@link #crossed}, too. */
    private final SendBuffer buffer = new SendBuffer(new ToStream());
    private volatile Wish wish = Wish.OPEN;
    /** A write has crossed the peer's close. */
    private boolean crossed;

    /** @param changed called after each change, by any thread; it must not wait */
    StreamLink(NioVerbs verbs, Runnable changed) {
        this.verbs = verbs;
        this.changed = changed;
    }

    /** Begins the stream. */
    @FunctionalInterface
    private interface Beginning {
        ByteStream begin() throws IOException;
    }

    void connect(Route route, Duration timeout, StreamOptions options) {
        begin(() -> {
            Connector connector = verbs.connections().connector(route, timeout);
            try {
                return loopFor(connector.device()).streams().connect(connector, timeout, options, this::changed);
            } catch (RuntimeException | Error e) {
                connector.close();
                throw e;
            }
        });
    }

    void accept(ConnectionRequest request, Duration timeout, StreamOptions options) {
        begin(() -> {
            try {
                return loopFor(request.device()).streams().accept(request, timeout, options, this::changed);
            } catch (RuntimeException | Error e) {
                request.close();
                throw e;
            }
        });
        if (failure != null) {
            request.close();
        }
    }

    /** By a worker, which may wait for a device. */
    private void begin(Beginning beginning) {
        try {
            Workers.execute(() -> {
                try {
                    stream = beginning.begin();
                } catch (IOException | RuntimeException | Error e) {
                    failure = ioException(e);
                }
                onBegun();
            });
        } catch (RuntimeException | Error e) {
            failure = ioException(e);
            onBegun();
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

    private void onBegun() {
        if (failure != null) {
            // Nothing takes the bytes that wait. A close at this moment sees the failure, or is undone here.
            synchronized (buffer) {
                verbs.closing(this, false);
            }
        }
        begun.countDown();
        changed(stream);
    }

    private SocketLoop loopFor(Device device) {
        try {
            selector.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException | InterruptedException e) {
            selector.complete(null);
        }
        VerbsSelector chosen = selector.join();
        SocketLoop made = chosen == null ? verbs.loop(device) : chosen.loop(device);
        loop = made;
        return made;
    }

    private void changed(ByteStream known) {
        if (known != null) {
            // The loop's thread may be faster than the one that begins it.
            stream = known;
            if (!buffer.isEmpty() || wish != Wish.OPEN) {
                goOn(known);
            }
        }
        changed.run();
    }

    /** The stream gets the bytes that wait, and then the program's wish. */
    private void goOn(ByteStream known) {
        synchronized (buffer) {
            if (wish == Wish.CUT || wish == Wish.CLOSED && known.hasEnded()) {
                known.abort();
                verbs.closing(this, false);
            } else if (known.isConnected() && buffer.send()) {
                grant(known);
                verbs.closing(this, false);
            }
        }
    }

    private void grant(ByteStream known) {
        switch (wish) {
            case OPEN -> {
                // It stays so.
            }
            case SHUT -> known.shutdownOutput();
            case CLOSED -> known.close();
            case CUT -> known.abort();
        }
    }

    private void wish(Wish next) {
        ByteStream known;
        synchronized (buffer) {
            if (next.compareTo(wish) <= 0) {
                return;
            }
            wish = next;
            known = stream;
            verbs.closing(this, wish == Wish.CLOSED && !buffer.isEmpty() && failure == null);
        }
        // If there is none yet, the thread that begins it sees the wish.
        if (known != null) {
            goOn(known);
        }
    }

    /** The channel is registered with a selector. */
    void chooseFor(VerbsSelector chosen) {
        selector.complete(chosen);
    }

    /** {@return the loop of the stream; {@code null} before there is one} */
    SocketLoop loop() {
        return loop;
    }

    /** {@return whether it is connected, or will never be} */
    boolean isSettled() {
        ByteStream known = stream;
        return failure != null || known != null && (known.isConnected() || known.canRead());
    }

    /** {@return why it never was connected; {@code null} if it is or was} */
    IOException problem() {
        ByteStream known = stream;
        return known == null ? failure : known.remoteAddress() == null ? known.failure() : null;
    }

    /** {@return whether the peer may still accept a connection of TCP, although it did not get one over verbs} */
    boolean mayAcceptTcp() {
        SocketLoop chosen = loop;
        return chosen == null || chosen.streams().device().attributes().transport() != Transport.IWARP
                || !ConnectFailures.concernsTcp(problem());
    }

    boolean canRead() {
        ByteStream known = stream;
        return failure != null || known != null && known.canRead();
    }

    boolean canWrite() {
        ByteStream known = stream;
        return buffer.hasRoom() || failure != null || known != null && !known.isConnected() && known.canWrite();
    }

    InetSocketAddress localAddress() {
        ByteStream known = stream;
        return known == null ? null : known.localAddress();
    }

    /**
     * Waits until a condition holds, as {@link SocketLoop#await} does. An interrupt ends it early: the caller looks at its channel.
     *
     * @return {@code false} if the time is up
     */
    boolean await(BooleanSupplier condition, Duration timeout) throws IOException {
        selector.complete(null);
        try {
            if (stream == null && !begun.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS)) {
                return condition.getAsBoolean();
            }
            return stream == null || loop.await(condition, timeout) || condition.getAsBoolean();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (WaitInterruptedException e) {
            return true;
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    boolean awaitSettled(Duration timeout) throws IOException {
        return await(isSettled, timeout);
    }

    /** Threads that wait for the stream look at their conditions. */
    void wakeup() {
        SocketLoop known = loop;
        if (known != null) {
            known.wakeup();
        }
    }

    private ByteStream stream() throws IOException {
        IOException problem = failure;
        if (problem != null) {
            throw new IOException(problem.getMessage(), problem);
        }
        return stream;
    }

    /** {@return how many bytes were read; 0 if there are none now; -1 at the end} */
    int read(ByteBuffer into) throws IOException {
        ByteStream known = stream();
        if (known == null) {
            return 0;
        }
        int count;
        try {
            count = known.read(MemorySegment.ofBuffer(into), 0, into.remaining());
        } catch (IOException e) {
            throw isReset(e) ? named(new SocketException("Connection reset"), e) : e;
        }
        if (count > 0) {
            into.position(into.position() + count);
        }
        return count;
    }

    private static boolean isReset(IOException failure) {
        return failure.getCause() instanceof SocketException;
    }

    /** Programs tell the ends of connections apart by the words of the system. */
    private static IOException named(IOException words, IOException failure) {
        words.initCause(failure);
        return words;
    }

    /** {@return how many bytes can be read at once} */
    int available() {
        ByteStream known = stream;
        return known == null ? 0 : known.available();
    }

    /** {@return how many bytes it has taken; 0 if there is no room now} They go at the next {@link #flush} at the latest. */
    int write(ByteBuffer from) throws IOException {
        return buffer.write(from);
    }

    /** The stream, for the buffer before it. */
    private final class ToStream implements SendBuffer.Sink {
        @Override
        public boolean isThere() {
            ByteStream known = stream;
            return failure != null || known != null && (known.isConnected() || known.canWrite());
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            ByteStream known = stream();
            int count;
            try {
                count = known.write(MemorySegment.ofBuffer(from), 0, from.remaining());
            } catch (IOException e) {
                if (e.getCause() instanceof VerbsException) {
                    throw e;
                }
                if (crossed || known.failure() != null) {
                    throw named(new IOException(isReset(e) ? "Connection reset by peer" : "Broken pipe"), e);
                }
                // The peer has closed. As over TCP, one write does not know it yet: it could have crossed the close. A program that fails
                // to write may never read the peer's last bytes, for instance the reason why it closes.
                crossed = true;
                count = from.remaining();
            }
            from.position(from.position() + count);
            return count;
        }

        @Override
        public void flush() {
            StreamLink.this.flush();
        }
    }

    void flush() {
        ByteStream known = stream;
        if (known != null) {
            known.flush();
        }
    }

    void shutdownOutput() {
        wish(Wish.SHUT);
    }

    /** @param cuts whether bytes that were written may be lost */
    void close(boolean cuts) {
        wish(cuts ? Wish.CUT : Wish.CLOSED);
        selector.complete(null);
    }
}

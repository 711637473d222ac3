package org.panamaverbs.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.spi.support.Waits;

/** A connected socket. One thread at a time reads, one writes, and any thread closes it. */
public final class VerbsSocket implements AutoCloseable {
    private final SocketLoop loop;
    private final ByteStream stream;
    // Made once: a thread that waits allocates nothing.
    private final BooleanSupplier canRead;
    private final BooleanSupplier canWrite;
    private volatile Duration timeout = Verbs.FOREVER;

    VerbsSocket(SocketLoop loop, ByteStream stream) {
        this.loop = loop;
        this.stream = stream;
        canRead = stream::canRead;
        canWrite = stream::canWrite;
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
     * @throws SocketTimeoutException if none came in time
     * @throws IOException            if the stream has failed, or is closed
     */
    public int read(MemorySegment into) throws IOException {
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
     * @throws SocketTimeoutException if the peer did not take them in time; an unknown part was written
     * @throws IOException            if the stream has failed, or is closed
     */
    public void write(MemorySegment from) throws IOException {
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

    /** Ends its output: the peer reads what was written, and then the end. */
    public void shutdownOutput() {
        stream.shutdownOutput();
    }

    /** {@return the address of this side} */
    public InetSocketAddress localAddress() {
        return stream.localAddress();
    }

    /** {@return the address of the peer} */
    public InetSocketAddress remoteAddress() {
        return stream.remoteAddress();
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

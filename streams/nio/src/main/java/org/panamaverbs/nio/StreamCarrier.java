package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;

/** A stream that connects, or is connected: the reads and writes of the channel in both modes. */
// Tested by ChannelRulesTest, InterruptTest, OverlapTest, TranscriptTest.
final class StreamCarrier implements Carrier.OfBytes {
    private final CarriedChannel channel;
    private final TransferLocks locks;
    private final StreamLink link;
    private final @Nullable InetSocketAddress bound;
    private final InetSocketAddress remote;
    private final BooleanSupplier canRead = this::canRead;
    private final BooleanSupplier canWrite = this::canWrite;

    /**
     * Begins nothing yet.
     *
     * @param bound   its own address; {@code null} if the program has not bound the channel
     * @param remote  the address of the peer
     * @param changed gets this carrier after each change, by any thread; it must not wait
     */
    StreamCarrier(CarriedChannel channel, @Nullable InetSocketAddress bound, InetSocketAddress remote, Consumer<StreamCarrier> changed) {
        this.channel = channel;
        this.bound = bound;
        this.remote = remote;
        locks = channel.locks;
        link = new StreamLink(channel.verbs, () -> changed.accept(this));
    }

    StreamLink link() {
        return link;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        InetSocketAddress address = link.localAddress();
        return address == null ? bound : address;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int readyOps() {
        return (canRead() ? SelectionKey.OP_READ : 0) | (canWrite() ? SelectionKey.OP_WRITE : 0);
    }

    /** {@return whether a read would not wait} */
    boolean canRead() {
        return !channel.isOpen() || channel.inputShut || link.canRead();
    }

    private boolean canWrite() {
        return !channel.isOpen() || channel.outputShut || link.canWrite();
    }

    private boolean await(BooleanSupplier condition, Duration timeout) throws IOException {
        boolean holds = awaitOnce(condition, timeout);
        channel.resumeWait();
        return holds;
    }

    private boolean awaitOnce(BooleanSupplier condition, Duration timeout) throws IOException {
        if (!locks.isHeld()) {
            return link.await(condition, timeout);
        }
        if (locks.isAlone() && timeout.compareTo(TransferLocks.BRIEF) > 0 && link.await(condition, TransferLocks.BRIEF)) {
            return true;
        }
        return locks.givesWay() ? locks.awaitWithout(() -> link.await(condition, timeout)) : link.await(condition, timeout);
    }

    // Reads.

    /** In blocking mode it waits for the first byte. */
    @Override
    public long read(ByteBuffer[] into, int offset, int length, Duration timeout) throws IOException {
        if (!channel.isBlocking()) {
            return readNow(into, offset, length);
        }
        long count = 0;
        long begin = System.nanoTime();
        channel.beginWait();
        try {
            while (channel.isOpen()) {
                count = readNow(into, offset, length);
                if (count != 0 || first(into, offset, offset + length) == offset + length) {
                    break;
                }
                if (!await(canRead, TransferLocks.left(timeout, begin))) {
                    throw new SocketTimeoutException("Read timed out");
                }
            }
        } finally {
            channel.endWait(count > 0);
        }
        return count;
    }

    /** {@return the index of the first buffer that has room, or bytes; the end if there is none} */
    private static int first(ByteBuffer[] buffers, int begin, int end) {
        int at = begin;
        while (at < end && !buffers[at].hasRemaining()) {
            at++;
        }
        return at;
    }

    /** {@return the number of bytes that were there, in one buffer after the other} */
    private long readNow(ByteBuffer[] into, int offset, int length) throws IOException {
        if (channel.inputShut) {
            return -1;
        }
        for (int i = offset; i < offset + length; i++) {
            if (into[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
        }
        long total = 0;
        int at = first(into, offset, offset + length);
        while (at < offset + length) {
            int count = readNow(into[at]);
            if (count < 0) {
                // If there were bytes, the next call says it.
                return total > 0 ? total : count;
            }
            total += count;
            at = into[at].hasRemaining() ? offset + length : first(into, at, offset + length);
        }
        return total;
    }

    private int readNow(ByteBuffer into) throws IOException {
        int count;
        try {
            count = link.read(into);
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
        channel.verbs.countBytes(true, count);
        return count;
    }

    // Writes.

    private void checkOutput() throws AsynchronousCloseException {
        if (channel.outputShut) {
            throw new AsynchronousCloseException();
        }
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        if (channel.isBlocking()) {
            return writeBlocking(from, offset, length, false);
        }
        checkOutput();
        return writeNow(from, offset, length);
    }

    private long writeNow(ByteBuffer[] from, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            Objects.requireNonNull(from[i]);
        }
        if (first(from, offset, offset + length) == offset + length) {
            return 0;
        }
        try {
            long total = link.write(from, offset, length);
            channel.verbs.countBytes(true, total);
            return total;
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
    }

    @Override
    public void writeWhole(ByteBuffer from) throws IOException {
        writeBlocking(new ByteBuffer[] { from }, 0, 1, true);
    }

    /** @param whole whether a part of the bytes is a failure */
    private long writeBlocking(ByteBuffer[] from, int offset, int length, boolean whole) throws IOException {
        locks.setWriter();
        long total = 0;
        int at = offset;
        int end = offset + length;
        boolean isDone = false;
        channel.beginWait();
        try {
            while (!isDone && channel.isOpen() && !channel.outputShut) {
                total += writeNow(from, at, end - at);
                at = first(from, at, end);
                isDone = at == end;
                if (!isDone) {
                    await(canWrite, Verbs.FOREVER);
                }
            }
        } finally {
            channel.endWait(isDone || total > 0 && !whole);
        }
        if (!isDone && whole) {
            throw new IOException("Broken pipe");
        }
        if (!isDone && total == 0) {
            checkOutput();
        }
        return total;
    }

    // The rest.

    @Override
    public int available() {
        return link.available();
    }

    @Override
    public void shutdownInput() {
        link.wakeup();
    }

    @Override
    public void shutdownOutput() {
        link.shutdownOutput();
    }

    @Override
    public void close(boolean cuts) {
        link.close(cuts);
        link.wakeup();
    }
}

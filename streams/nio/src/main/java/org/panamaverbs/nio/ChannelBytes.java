package org.panamaverbs.nio;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Verbs;
import org.panamaverbs.spi.support.Waits;

/**
 * The reads and writes of a channel, in both modes. One thread at a time reads, and one writes; others wait for it. The order of the checks
 * is that of the JDK's channels.
 */
// Tested by ChannelRulesTest, OverlapTest, TranscriptTest.
final class ChannelBytes {
    /** How long a thread waits in the blocking lock if no other thread writes. */
    private static final Duration BRIEF = Duration.ofMillis(1);

    private final VerbsSocketChannel channel;
    private final BlockingLock blockingLock;
    // A helper may take them for the thread that needs them, which a lock does not allow.
    private final Semaphore reading = new Semaphore(1);
    private final Semaphore writing = new Semaphore(1);
    /** The thread that has written last, in blocking mode. */
    private volatile Thread writer;
    private final BooleanSupplier canRead;
    private final BooleanSupplier canWrite;

    ChannelBytes(VerbsSocketChannel channel) {
        this.channel = channel;
        blockingLock = new BlockingLock(channel.blockingLock());
        canRead = channel::canRead;
        canWrite = channel::canWrite;
    }

    /** No thread reads or writes from now on. */
    void lock() throws IOException {
        blockingLock.acquire(reading);
        try {
            blockingLock.acquire(writing);
        } catch (IOException | RuntimeException | Error e) {
            reading.release();
            throw e;
        }
    }

    void unlock() {
        writing.release();
        reading.release();
    }

    private boolean await(StreamLink link, BooleanSupplier condition, Duration timeout) throws IOException {
        if (!blockingLock.isHeld()) {
            return link.await(condition, timeout);
        }
        if (isAlone() && timeout.compareTo(BRIEF) > 0 && link.await(condition, BRIEF)) {
            return true;
        }
        return blockingLock.givesWay() ? blockingLock.awaitWithout(() -> link.await(condition, timeout)) : link.await(condition, timeout);
    }

    /**
     * {@return whether no other thread writes} A thread that writes and reads by turns then keeps the blocking lock for a moment, since a
     * helper would make its reads slower.
     */
    private boolean isAlone() {
        Thread last = writer;
        return last == null || last == Thread.currentThread();
    }

    // Reads.

    /** @param timeout of a channel in blocking mode */
    int read(ByteBuffer into, Duration timeout) throws IOException {
        Objects.requireNonNull(into);
        blockingLock.acquire(reading);
        try {
            channel.checkConnected();
            StreamLink link = channel.link();
            if (link == null) {
                return (int) readPlain(into, timeout);
            }
            return (int) (channel.isBlocking() ? readBlocking(link, into, null, 0, 0, timeout) : readNow(link, into));
        } finally {
            reading.release();
        }
    }

    long read(ByteBuffer[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        blockingLock.acquire(reading);
        try {
            channel.checkConnected();
            StreamLink link = channel.link();
            if (link == null) {
                return readPlain(plain -> plain.read(into, offset, length));
            }
            return channel.isBlocking() ? readBlocking(link, null, into, offset, length, Verbs.FOREVER)
                    : readNow(link, into, offset, length);
        } finally {
            reading.release();
        }
    }

    /** A read of the channel that carries this one. */
    @FunctionalInterface
    private interface PlainCall {
        long run(SocketChannel plain) throws IOException;
    }

    private long readPlain(ByteBuffer into, Duration timeout) throws IOException {
        ChannelSocket socket = (ChannelSocket) channel.socket();
        if (timeout.compareTo(Verbs.FOREVER) < 0) {
            return readPlain(plain -> socket.readPlain(into, timeout));
        }
        if (into.hasArray() && blockingLock.isHeld() && isAlone() && channel.isBlocking()) {
            try {
                return readPlain(plain -> socket.readPlain(into, BRIEF), false);
            } catch (SocketTimeoutException e) {
                // A helper waits from here on.
            }
        }
        return readPlain(plain -> plain.read(into));
    }

    private long readPlain(PlainCall call) throws IOException {
        return readPlain(call, true);
    }

    private long readPlain(PlainCall call, boolean mayWait) throws IOException {
        long count = callPlain(call, mayWait);
        channel.verbs().countBytes(false, count);
        return count;
    }

    /** @param mayWait whether it can take long */
    private long callPlain(PlainCall call, boolean mayWait) throws IOException {
        SocketChannel plain = channel.plain();
        if (mayWait && channel.isBlocking() && blockingLock.givesWay()) {
            return callPlainWithoutLock(call, plain);
        }
        try {
            return call.run(plain);
        } finally {
            if (!plain.isOpen()) {
                // An interrupt closes the channel that carries this one.
                channel.close();
            }
        }
    }

    private long callPlainWithoutLock(PlainCall call, SocketChannel plain) throws IOException {
        boolean completed = false;
        channel.beginWait();
        try {
            long count = blockingLock.awaitWithout(() -> call.run(plain));
            completed = count > 0;
            return count;
        } finally {
            channel.endWait(completed);
        }
    }

    private static void checkTakesBytes(ByteBuffer into) {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private int readNow(StreamLink link, ByteBuffer into) throws IOException {
        if (channel.isInputShut()) {
            return -1;
        }
        checkTakesBytes(into);
        int count;
        try {
            count = link.read(into);
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
        channel.verbs().countBytes(true, count);
        return count;
    }

    /** {@return the bytes that are there, in one buffer after the other} */
    private long readNow(StreamLink link, ByteBuffer[] into, int offset, int length) throws IOException {
        if (channel.isInputShut()) {
            return -1;
        }
        for (int i = offset; i < offset + length; i++) {
            checkTakesBytes(into[i]);
        }
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            int count = into[i].hasRemaining() ? readNow(link, into[i]) : 0;
            if (count < 0) {
                // The next call says it.
                return total > 0 ? total : count;
            }
            total += count;
            if (into[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    /** Waits for the first byte: of one buffer, or of several. */
    private long readBlocking(StreamLink link, ByteBuffer single, ByteBuffer[] several, int offset, int length, Duration timeout)
            throws IOException {
        long count = 0;
        long begin = System.nanoTime();
        channel.beginWait();
        try {
            while (channel.isOpen()) {
                count = several == null ? readNow(link, single) : readNow(link, several, offset, length);
                if (count != 0 || isFull(single, several, offset, length)) {
                    break;
                }
                if (!await(link, canRead, left(timeout, begin))) {
                    throw new SocketTimeoutException("Read timed out");
                }
            }
        } finally {
            channel.endWait(count > 0);
        }
        return count;
    }

    private static boolean isFull(ByteBuffer single, ByteBuffer[] several, int offset, int length) {
        if (several == null) {
            return !single.hasRemaining();
        }
        for (int i = offset; i < offset + length; i++) {
            if (several[i].hasRemaining()) {
                return false;
            }
        }
        return true;
    }

    private static Duration left(Duration timeout, long begin) {
        if (timeout.compareTo(Verbs.FOREVER) >= 0) {
            return timeout;
        }
        return Duration.ofNanos(Math.max(0, Waits.nanos(timeout) - (System.nanoTime() - begin)));
    }

    // Writes.

    int write(ByteBuffer from) throws IOException {
        Objects.requireNonNull(from);
        blockingLock.acquire(writing);
        try {
            channel.checkConnected();
            StreamLink link = channel.link();
            if (link == null || channel.isBlocking()) {
                return (int) write(link, new ByteBuffer[] { from }, 0, 1);
            }
            checkOutput();
            int count = writeNow(link, from);
            link.flush();
            channel.verbs().countBytes(true, count);
            return count;
        } finally {
            writing.release();
        }
    }

    private void checkOutput() throws AsynchronousCloseException {
        if (channel.isOutputShut()) {
            throw new AsynchronousCloseException();
        }
    }

    private int writeNow(StreamLink link, ByteBuffer from) throws IOException {
        try {
            return link.write(from);
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
    }

    long write(ByteBuffer[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        blockingLock.acquire(writing);
        try {
            channel.checkConnected();
            return write(channel.link(), from, offset, length);
        } finally {
            writing.release();
        }
    }

    /** Writes all bytes, which an array has, of a channel in blocking mode, or fails. */
    void writeWhole(ByteBuffer from) throws IOException {
        blockingLock.acquire(writing);
        try {
            channel.checkConnected();
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            if (channel.isOutputShut()) {
                throw new ClosedChannelException();
            }
            writer = Thread.currentThread();
            StreamLink link = channel.link();
            if (link == null) {
                channel.verbs().countBytes(false, callPlain(plain -> writeWhole(plain, from), true));
            } else {
                channel.verbs().countBytes(true, writeBlocking(link, new ByteBuffer[] { from }, 0, 1, true));
            }
        } finally {
            writing.release();
        }
    }

    private static int writeWhole(SocketChannel plain, ByteBuffer from) throws IOException {
        int count = from.remaining();
        plain.socket().getOutputStream().write(from.array(), from.arrayOffset() + from.position(), count);
        return count;
    }

    private long write(StreamLink link, ByteBuffer[] from, int offset, int length) throws IOException {
        long count;
        if (channel.isBlocking()) {
            writer = Thread.currentThread();
        }
        if (link == null) {
            count = writePlain(from, offset, length);
        } else if (channel.isBlocking()) {
            count = writeBlocking(link, from, offset, length, false);
        } else {
            checkOutput();
            count = writeNow(link, from, offset, length);
        }
        channel.verbs().countBytes(link != null, count);
        return count;
    }

    private long writePlain(ByteBuffer[] from, int offset, int length) throws IOException {
        long count = 0;
        if (channel.isBlocking() && blockingLock.isHeld() && reading.tryAcquire()) {
            // There is mostly room, and then no helper has to wait for it.
            try {
                count = callPlain(plain -> writePlainNow(plain, from, offset, length), false);
            } finally {
                reading.release();
            }
            if (count > 0 && !from[offset + length - 1].hasRemaining()) {
                return count;
            }
        }
        return count + callPlain(plain -> plain.write(from, offset, length), true);
    }

    /** No thread reads meanwhile: it would not wait for bytes. */
    private static long writePlainNow(SocketChannel plain, ByteBuffer[] from, int offset, int length) throws IOException {
        plain.configureBlocking(false);
        try {
            return plain.write(from, offset, length);
        } finally {
            if (plain.isOpen()) {
                plain.configureBlocking(true);
            }
        }
    }

    private long writeNow(StreamLink link, ByteBuffer[] from, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            Objects.requireNonNull(from[i]);
        }
        long total = 0;
        try {
            for (int i = offset; i < offset + length && (i == offset || !from[i - 1].hasRemaining()); i++) {
                total += from[i].hasRemaining() ? writeNow(link, from[i]) : 0;
            }
        } catch (IOException e) {
            if (total == 0) {
                throw e;
            }
            // The next call says it.
        }
        link.flush();
        return total;
    }

    /** @param whole whether a part of the bytes is a failure */
    private long writeBlocking(StreamLink link, ByteBuffer[] from, int offset, int length, boolean whole) throws IOException {
        long total = 0;
        boolean done = false;
        channel.beginWait();
        try {
            int at = offset;
            while (channel.isOpen() && !channel.isOutputShut()) {
                total += writeNow(link, from, at, offset + length - at);
                while (at < offset + length && !from[at].hasRemaining()) {
                    at++;
                }
                if (at == offset + length) {
                    done = true;
                    break;
                }
                await(link, canWrite, Verbs.FOREVER);
            }
        } finally {
            channel.endWait(done || total > 0 && !whole);
        }
        if (!done && whole) {
            throw new IOException("Broken pipe");
        }
        if (!done && total == 0) {
            checkOutput();
        }
        return total;
    }
}

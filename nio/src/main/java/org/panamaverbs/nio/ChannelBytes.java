package org.panamaverbs.nio;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Verbs;

/** The reads and writes of a channel, in both modes. One thread at a time reads, and one writes; others wait for it. */
// Tested by ChannelRulesTest.
final class ChannelBytes {
    private final VerbsSocketChannel channel;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final BooleanSupplier canRead;
    private final BooleanSupplier canWrite;

    ChannelBytes(VerbsSocketChannel channel) {
        this.channel = channel;
        canRead = channel::canRead;
        canWrite = channel::canWrite;
    }

    /** No thread reads or writes from now on. */
    void lock() {
        readLock.lock();
        writeLock.lock();
    }

    void unlock() {
        writeLock.unlock();
        readLock.unlock();
    }

    /** @param timeout of a channel in blocking mode */
    int read(ByteBuffer into, Duration timeout) throws IOException {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        readLock.lock();
        try {
            channel.checkConnected();
            if (channel.isInputShut()) {
                return -1;
            }
            StreamLink known = channel.link();
            int count = known == null ? readPlain(into, timeout)
                    : channel.isBlocking() ? readBlocking(known, into, timeout) : readNow(known, into);
            channel.verbs().countBytes(known != null, count);
            return channel.isInputShut() && count <= 0 ? -1 : count;
        } finally {
            readLock.unlock();
        }
    }

    private int readPlain(ByteBuffer into, Duration timeout) throws IOException {
        try {
            return channel.isBlocking() && timeout.compareTo(Verbs.FOREVER) < 0
                    ? ((ChannelSocket) channel.socket()).readPlain(into, timeout) : channel.plain().read(into);
        } finally {
            closeWithPlain();
        }
    }

    private long readPlain(ByteBuffer[] into, int offset, int length) throws IOException {
        try {
            return channel.plain().read(into, offset, length);
        } finally {
            closeWithPlain();
        }
    }

    /** An interrupt closes the channel that carries this one. */
    private void closeWithPlain() throws IOException {
        SocketChannel known = channel.plain();
        if (known != null && !known.isOpen()) {
            channel.close();
        }
    }

    private int readNow(StreamLink known, ByteBuffer into) throws IOException {
        try {
            return known.read(into);
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
    }

    private int readBlocking(StreamLink known, ByteBuffer into, Duration timeout) throws IOException {
        int count = 0;
        channel.beginWait();
        try {
            count = known.read(into);
            while (count == 0 && into.hasRemaining() && channel.isOpen() && !channel.isInputShut()) {
                if (!known.await(canRead, timeout)) {
                    throw new SocketTimeoutException("Read timed out");
                }
                if (channel.isOpen()) {
                    count = known.read(into);
                }
            }
        } finally {
            channel.endWait(count != 0);
        }
        return count;
    }

    long read(ByteBuffer[] into, int offset, int length) throws IOException {
        readLock.lock();
        try {
            channel.checkConnected();
            if (channel.link() == null && !channel.isInputShut()) {
                long count = readPlain(into, offset, length);
                channel.verbs().countBytes(false, count);
                return count;
            }
            long total = 0;
            for (int i = offset; i < offset + length; i++) {
                if (!into[i].hasRemaining()) {
                    continue;
                }
                // Only the first byte is waited for.
                int count = total == 0 ? read(into[i], Verbs.FOREVER) : readNow(channel.link(), into[i]);
                if (count <= 0) {
                    return total > 0 ? total : count;
                }
                if (total > 0) {
                    channel.verbs().countBytes(true, count);
                }
                total += count;
                if (into[i].hasRemaining()) {
                    break;
                }
            }
            return total;
        } finally {
            readLock.unlock();
        }
    }

    int write(ByteBuffer from) throws IOException {
        writeLock.lock();
        try {
            StreamLink known = channel.link();
            if (known == null || channel.isBlocking()) {
                return (int) write(new ByteBuffer[] { from }, 0, 1);
            }
            checkOutput();
            int count = writeNow(known, from);
            known.flush();
            channel.verbs().countBytes(true, count);
            return count;
        } finally {
            writeLock.unlock();
        }
    }

    private void checkOutput() throws ClosedChannelException {
        channel.checkConnected();
        if (channel.isOutputShut()) {
            throw new ClosedChannelException();
        }
    }

    private int writeNow(StreamLink known, ByteBuffer from) throws IOException {
        try {
            return known.write(from);
        } catch (IOException e) {
            channel.checkOpen();
            throw e;
        }
    }

    long write(ByteBuffer[] from, int offset, int length) throws IOException {
        writeLock.lock();
        try {
            checkOutput();
            StreamLink known = channel.link();
            long count = known == null ? writePlain(from, offset, length)
                    : channel.isBlocking() ? writeBlocking(known, from, offset, length) : writeNow(known, from, offset, length);
            channel.verbs().countBytes(known != null, count);
            return count;
        } finally {
            writeLock.unlock();
        }
    }

    private long writePlain(ByteBuffer[] from, int offset, int length) throws IOException {
        try {
            return channel.plain().write(from, offset, length);
        } finally {
            closeWithPlain();
        }
    }

    private long writeNow(StreamLink known, ByteBuffer[] from, int offset, int length) throws IOException {
        long total = 0;
        try {
            for (int i = offset; i < offset + length && (i == offset || !from[i - 1].hasRemaining()); i++) {
                total += from[i].hasRemaining() ? writeNow(known, from[i]) : 0;
            }
        } catch (IOException e) {
            if (total == 0) {
                throw e;
            }
            // The next call says it.
        }
        known.flush();
        return total;
    }

    private long writeBlocking(StreamLink known, ByteBuffer[] from, int offset, int length) throws IOException {
        long total = 0;
        boolean done = false;
        channel.beginWait();
        try {
            int at = offset;
            while (at < offset + length && channel.isOpen()) {
                total += writeNow(known, from, at, offset + length - at);
                while (at < offset + length && !from[at].hasRemaining()) {
                    at++;
                }
                if (at < offset + length) {
                    known.await(canWrite, Verbs.FOREVER);
                }
            }
            done = at == offset + length;
        } finally {
            channel.endWait(done || total > 0);
        }
        return total;
    }
}

package org.panamaverbs.sockets;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * A reliable stream of bytes each way over one queue pair, on the wire of rsocket. No method waits: {@link #read} and {@link #write} take as
 * much as they can, and the {@link StreamListener} learns when there is more to do. Any thread may call any method; one thread at a time
 * reads, and one writes. Each call takes the stream's lock, unless the thread has it by {@link #lock()}.
 *
 * <p>A stream is connecting at first, then connected; it has ended when neither side can send any more. What had arrived before can still
 * be read.
 */
// Tested by FlushTest, VerbsSocketTest.
public final class ByteStream implements AutoCloseable {
    private final StreamLoop loop;
    private final StreamOptions options;
    private final StreamListener listener;
    private final ReentrantLock lock;
    private final StreamConnection connection;
    // These can be asked without the lock.
    private final StreamLife life;
    private final StreamInput input;
    private final StreamOutput output;
    /** The thread that is in the listener. */
    private @Nullable Thread listening;

    /** Of the loop: whether the stream is in its list of those that have changed, and the next one there. */
    final AtomicBoolean touched = new AtomicBoolean();
    @Nullable
    ByteStream nextTouched;

    ByteStream(StreamLoop loop, StreamOptions options, StreamListener listener) {
        this.loop = loop;
        this.options = Objects.requireNonNull(options);
        this.listener = Objects.requireNonNull(listener);
        lock = loop.newLock();
        connection = new StreamConnection(lock, loop.resources(), options, new Attachment());
        life = connection.life();
        input = connection.input();
        output = connection.output();
    }

    /** Completions of the stream's queue pair name it. */
    final class Attachment implements StreamConnection.Owner {
        ByteStream stream() {
            return ByteStream.this;
        }

        @Override
        public void changed() {
            loop.touch(ByteStream.this);
        }

        @Override
        public void released() {
            loop.released(ByteStream.this);
        }
    }

    // For the loop.

    StreamConnection connection() {
        return connection;
    }

    /** A completion, on the thread that turns the loop. */
    void onCompletion(Completions completion) {
        lock.lock();
        try {
            connection.onCompletion(completion);
        } finally {
            lock.unlock();
        }
        loop.touch(this);
    }

    /** The end of a turn in which something has changed. What is due after that leaves without data. */
    void turned() {
        listening = Thread.currentThread();
        try {
            listener.changed(this);
        } finally {
            listening = null;
        }
        if (connection.isDue()) {
            lock.lock();
            try {
                connection.sendDue();
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return whether the program has closed it, or the loop has cut it} */
    boolean isClosed() {
        return life.state().isClosed();
    }

    /** {@return whether it was closed, and bytes may still have to go out} */
    boolean isClosing() {
        return life.state().isDraining();
    }

    /** Gives the memory for sending back if it was idle since the last call. */
    void releaseIfIdle() {
        lock.lock();
        try {
            connection.releaseIfIdle();
        } finally {
            lock.unlock();
        }
    }

    // For programs.

    /**
     * Takes the stream's lock, so that several calls of this thread cost one: those of a flush, for example. Other threads wait for it, the
     * loop's thread, too: {@link #unlock} follows soon, and the thread waits for nothing in between.
     */
    public void lock() {
        lock.lock();
    }

    /**
     * Gives the lock back.
     *
     * @throws IllegalMonitorStateException if the thread does not have it
     */
    public void unlock() {
        lock.unlock();
    }

    /**
     * Reads bytes that have arrived.
     *
     * @param into   gets the bytes
     * @param offset where, in bytes
     * @param length how many at most
     * @return how many; 0 if there are none now; -1 if the peer has ended its output, and all was read
     * @throws IOException if the stream has failed, and all that had arrived was read; the message names the reason
     */
    public int read(MemorySegment into, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.byteSize());
        lock.lock();
        try {
            life.checkOpen();
            int count = input.read(into, offset, length);
            if (input.owes()) {
                sendDueUnlessListening();
            }
            if (count > 0 || length == 0) {
                return count;
            }
            if (input.hasEnded()) {
                return -1;
            }
            life.checkEnd();
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Grants and credits leave with the next flush, or after the listener, which mostly answers. A peer that waits for them gets them at once.
     */
    private void sendDueUnlessListening() {
        if (listening == Thread.currentThread() && !input.isFull()) {
            connection.becomeDue();
        } else {
            connection.sendDue();
        }
    }

    /**
     * Copies bytes behind those that were written before, to be sent at the next {@link #flush()} or earlier: if the peer's memory or that for
     * copies is full. Before the stream is connected, and when the peer has no room, bytes wait in the memory for copies, and leave by
     * themselves as soon as they can. They are lost if the stream fails.
     *
     * @param from   the bytes
     * @param offset where they begin
     * @param length how many at most
     * @return how many were taken; 0 if there is no room now
     * @throws IOException if the stream has ended, or its output has
     */
    public int write(MemorySegment from, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.byteSize());
        lock.lock();
        try {
            connection.checkOutput();
            return output.write(from, offset, length);
        } catch (StreamProtocolException e) {
            connection.end(e);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends bytes from registered memory, without a copy unless they are few, at the next {@link #flush()} or earlier. The memory must not
     * change until {@link #completed()} has reached the value of {@link #written()} after this call, which it may have at once.
     *
     * @param region of {@link #domain()}; it stays open as long as its memory must not change
     * @param offset where they begin in the region
     * @param length how many at most
     * @return how many were taken; 0 if there is no room now, also while bytes that were copied wait
     * @throws IOException              if the stream is not connected yet, or it has ended, or its output has
     * @throws IllegalArgumentException if the region is of another domain
     * @throws IllegalStateException    if the region is closed
     */
    public int write(MemoryRegion region, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, region.length());
        lock.lock();
        try {
            connection.checkOutput();
            return output.write(region, offset, length);
        } catch (StreamProtocolException e) {
            connection.end(e);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Sends what was written, as one message for the peer if it fits. It does nothing on a stream that has ended. */
    public void flush() {
        lock.lock();
        try {
            connection.flush();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes, 1 or more if there are any, {@link #read} would give at once; 0 also at the end} */
    public int available() {
        lock.lock();
        try {
            return life.state().isClosed() ? 0 : input.available();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes were written so far} */
    public long written() {
        lock.lock();
        try {
            return output.written();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes, of those that were written, need their memory no more: those that have gone, and copies behind them} */
    public long completed() {
        lock.lock();
        try {
            return output.completed();
        } finally {
            lock.unlock();
        }
    }

    /** {@return the domain of its queue pair, or {@code null} before it is connected} */
    public @Nullable ProtectionDomain domain() {
        lock.lock();
        try {
            StreamMemory memory = connection.memory();
            return memory == null ? null : memory.domain();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it is connected: no longer connecting, and not ended} */
    public boolean isConnected() {
        return life.state().isConnected();
    }

    /** {@return whether {@link #read} would not return 0} */
    public boolean canRead() {
        return isOver() || input.hasBytes();
    }

    /** {@return whether {@link #write(MemorySegment, long, int)} would not return 0} */
    public boolean canWrite() {
        return isOver() || output.hasRoom();
    }

    /** {@return whether reads and writes answer without waiting, as the program has closed it or it has ended} */
    private boolean isOver() {
        return life.state().isOver();
    }

    /** {@return whether it has ended: nothing more comes, and nothing more goes} */
    public boolean hasEnded() {
        return life.state().hasEnded();
    }

    /** {@return the reason why it has failed, or {@code null}} */
    public @Nullable IOException failure() {
        return life.failure();
    }

    /** {@return the address of this side, or {@code null} before it is connected} */
    public @Nullable InetSocketAddress localAddress() {
        return connection.localAddress();
    }

    /** {@return the address of the peer, or {@code null} before it is connected} */
    public @Nullable InetSocketAddress remoteAddress() {
        return connection.remoteAddress();
    }

    /** {@return the provider's counts of its queue pair, or {@code null} before it is connected} */
    public @Nullable QueuePairStatistics statistics() {
        return connection.statistics();
    }

    /** Ends its output: the peer reads what was written, and then the end. */
    public void shutdownOutput() {
        lock.lock();
        try {
            output.shut();
            connection.sendDue();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends it both ways. What was written still goes out, for {@link StreamOptions#linger()} at most. A stream that is not connected yet
     * gives up, unless bytes were written or its output was shut down.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!connection.close()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        // Threads that wait look again.
        loop.touch(this);
        loop.linger(this, options.linger());
        connection.leave();
    }

    /**
     * The loop calls the listener in its next turn, also if nothing has changed: for a program that has left bytes unread, so that other
     * streams get their turn. Any thread may call.
     */
    public void notifyListener() {
        loop.touch(this);
    }

    /** Cuts it: bytes that were written may be lost, and the peer's stream fails. */
    public void abort() {
        abort(StreamLife.CLOSED);
    }

    /** Cuts it for a reason of the loop. */
    void abort(IOException reason) {
        lock.lock();
        try {
            connection.end(reason);
        } finally {
            lock.unlock();
        }
        close();
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return connection.toString();
        } finally {
            lock.unlock();
        }
    }
}

package org.panamaverbs.sockets;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.Transport;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.spi.support.Workers;

/**
 * A reliable stream of bytes each way over one queue pair, on the wire of rsocket. No method waits: {@link #read} and {@link #write} take as
 * much as they can, and the {@link StreamListener} learns when there is more to do. Any thread may call any method; one thread at a time
 * reads, and one writes.
 *
 * <p>A stream is connecting at first, then connected; it has ended when neither side can send any more. What had arrived before can still
 * be read.
 */
// Tested by VerbsSocketTest.
public final class ByteStream implements AutoCloseable {
    private static final IOException CLOSED = new IOException("the stream was closed");
    private static final IOException OUT_OF_MEMORY = new IOException("the stream has failed for want of memory");
    /** The pause after a close that failed, for example for want of memory. */
    private static final long REST_NANOS = 100_000_000;

    private final StreamLoop loop;
    private final StreamOptions options;
    private final StreamListener listener;
    private final boolean bySends;
    private final ReentrantLock lock = new ReentrantLock();
    /** The memory goes back when the queue pair and the program need it no more. */
    private final AtomicInteger users = new AtomicInteger(2);

    // Made when it opens.
    private AutoCloseable opening;
    private StreamMemory memory;
    private MessagePort port;

    // Made when it is connected.
    private Connection connection;
    private StreamCore core;

    /** How many bytes were posted; the number of a request is that of the bytes before its end. */
    private long posted;
    private long completed;
    /** The number of the last message that ends something, beyond all bytes; 0 if there was none. */
    private long goal;
    private boolean shut;
    private boolean closed;
    private boolean ended;
    private IOException failure;

    // For threads that wait.
    private volatile boolean isConnected;
    private volatile boolean canRead;
    private volatile boolean canWrite;

    // What the end needs is made before, as memory may be lacking then.
    private final Workers.Task givingUp = new Workers.Task(this::giveUp);
    private final Workers.Task closing = new Workers.Task(this::closeQueuePair);
    private final Workers.Task releasing = new Workers.Task(this::release);

    /** Of the loop: whether the stream is in its list of those that have changed, and the next one there. */
    final AtomicBoolean touched = new AtomicBoolean();
    ByteStream nextTouched;
    private long deadline;

    ByteStream(StreamLoop loop, StreamOptions options, StreamListener listener) {
        this.loop = loop;
        this.options = Objects.requireNonNull(options);
        this.listener = Objects.requireNonNull(listener);
        bySends = loop.device().attributes().transport() == Transport.IWARP;
    }

    // Opening: on one of the workers, which may wait for a device. No thread waits for the peer.

    void connect(Supplier<Connector> source, Duration timeout) {
        long begin = System.nanoTime();
        Connector connector = null;
        try {
            connector = source.get();
            Connector attempt = connector;
            open(attempt, attempt::createQueuePair);
            attempt.connectAsync(parameters(), left(timeout, begin))
                    .whenComplete((established, failure) -> onOutcome(attempt, established, failure));
        } catch (RuntimeException | Error e) {
            abandon(connector, e);
        }
    }

    private static Duration left(Duration timeout, long begin) {
        Duration left = timeout.minusNanos(System.nanoTime() - begin);
        return left.isPositive() ? left : Duration.ofNanos(1);
    }

    void accept(ConnectionRequest request, Duration timeout) {
        try {
            check(request);
            open(request, request::createQueuePair);
            request.acceptAsync(parameters(), timeout).whenComplete((established, failure) -> onOutcome(request, established, failure));
        } catch (IOException | RuntimeException | Error e) {
            abandon(request, e);
        }
    }

    private void onOutcome(AutoCloseable attempt, Connection established, Throwable failure) {
        if (established == null) {
            abandon(attempt, failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
            return;
        }
        try {
            loop.execute(() -> connected(established));
        } catch (RuntimeException | Error e) {
            established.close();
            abandon(attempt, e);
        }
    }

    /** A peer that does not speak the protocol is rejected. */
    private static void check(ConnectionRequest request) throws StreamProtocolException {
        try {
            PrivateData.decode(request.privateData());
        } catch (StreamProtocolException e) {
            request.reject(new byte[0]);
            throw e;
        }
    }

    /** A method of an object that makes the queue pair. */
    @FunctionalInterface
    private interface Maker {
        QueuePair make(ProtectionDomain domain, QueuePairAttributes attributes);
    }

    private void open(AutoCloseable attempt, Maker maker) {
        lock.lock();
        try {
            if (ended) {
                throw new IllegalStateException("the stream was closed before it was connected");
            }
            opening = attempt;
            memory = new StreamMemory(loop.device(), loop.pool(), options);
            QueuePair queuePair = maker.make(memory.domain(), QueuePairAttributes.of(loop.queue())
                    .withDepths(MessagePort.SENDS, MessagePort.RECEIVES).withInline(MessagePort.INLINE).withAttachment(this));
            port = new MessagePort(queuePair, bySends, memory.region());
        } finally {
            lock.unlock();
        }
    }

    private ConnectionParameters parameters() {
        ConnectionParameters parameters = ConnectionParameters.defaults().withPrivateData(memory.privateData().encode());
        // The peers of rdma-core send a Read of no bytes first on iWARP.
        return bySends ? parameters.withReads(1, 1) : parameters;
    }

    /** It could not be opened: the attempt closes the queue pair, if it got so far. */
    private void abandon(AutoCloseable attempt, Throwable reason) {
        close(attempt);
        boolean unconnected;
        lock.lock();
        try {
            opening = null;
            unconnected = connection == null;
            end(ioException(reason));
        } finally {
            lock.unlock();
        }
        if (unconnected) {
            users();
        }
    }

    private static void close(AutoCloseable attempt) {
        try {
            if (attempt != null) {
                attempt.close();
            }
        } catch (Exception | Error e) {
            // The attempt ends by itself.
        }
    }

    /** Without memory for an exception, a stream ends nevertheless. */
    private static IOException ioException(Throwable reason) {
        try {
            return reason instanceof IOException failure ? failure : new IOException(reason.getMessage(), reason);
        } catch (OutOfMemoryError e) {
            return OUT_OF_MEMORY;
        }
    }

    private void connected(Connection established) {
        lock.lock();
        try {
            opening = null;
            // The peer's first message may have come before.
            if (connection == null) {
                begin(established);
            }
        } finally {
            lock.unlock();
        }
        loop.touch(this);
    }

    /** The connection is there. */
    private void begin(Connection established) {
        connection = established;
        if (ended) {
            closing.submit();
            return;
        }
        try {
            PrivateData peer = PrivateData.decode(connection.privateData());
            port.connected(peer.bigEndian());
            core = memory.core(peer, bySends);
            isConnected = true;
        } catch (StreamProtocolException | RuntimeException | Error e) {
            end(ioException(e));
        }
    }

    // Completions: on the thread that turns the loop.

    void onCompletion(Completions completion) {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            if (connection == null && port != null) {
                Connection.of(port.queuePair()).ifPresent(this::begin);
            }
            if (!completion.isReceive()) {
                sent(completion);
            } else if (core == null) {
                // Of an attempt that has failed.
                return;
            } else if (completion.isSuccess()) {
                receive(port.take(completion));
            } else {
                // It is the last: those that succeeded came before.
                end(reason());
            }
        } catch (StreamProtocolException e) {
            end(e);
        } finally {
            lock.unlock();
        }
        loop.touch(this);
    }

    private void sent(Completions completion) {
        if (completion.isSuccess()) {
            completed = completion.id();
            memory.sends().completed(completed);
        } else if (failure == null && completion.status() != CompletionStatus.FLUSHED) {
            // The receives are flushed next, and the stream ends with this reason.
            failure = new IOException("the connection was lost: " + completion.status().text());
        }
    }

    private void receive(int message) throws StreamProtocolException {
        core.receive(message);
        if (Message.operation(message) == Message.DATA) {
            memory.grants().received();
        }
    }

    /** The end of a turn in which something has changed. */
    void turned() {
        lock.lock();
        try {
            progress();
        } finally {
            lock.unlock();
        }
        listener.changed(this);
    }

    /** Sends control messages that are due, and publishes what the program can do. */
    private void progress() {
        if (core != null && !ended) {
            try {
                control();
            } catch (VerbsException | OutOfMemoryError e) {
                end(new IOException("the stream has no memory to go on: " + e.getMessage(), e));
            }
        }
        publish();
    }

    private void control() {
        while (core.wantsGrant() && port.hasControlRoom()) {
            grant();
        }
        if (core.owesCredits() && port.hasControlRoom()) {
            control(core.credits(), false);
        }
        if (shut && !core.outputEnded() && port.hasControlRoom()) {
            control(core.shutdown(), true);
        }
        if (closed && !core.disconnected() && port.hasControlRoom()) {
            control(core.disconnect(), true);
        }
        port.ringDoorbell();
        if (core.disconnected() && completed >= goal && connection.isConnected()) {
            connection.disconnect();
        }
    }

    private void grant() {
        int range = core.nextGrant();
        Block block = memory.grants().renew(range);
        long address = core.entryAddress();
        core.grant(block.size());
        port.postEntry(block.region().address(), block.region().remoteKey(), block.size(), address, core.entryKey(), core.credits(),
                posted);
    }

    private void control(int message, boolean ends) {
        if (ends) {
            goal = Math.max(goal, posted) + 1;
        }
        port.postMessage(core.entryAddress(), core.entryKey(), message, Math.max(goal, posted), ends);
    }

    private void publish() {
        canRead = closed || ended || core != null && (core.unread() > 0 || core.inputEnded());
        canWrite = closed || ended
                || core != null && (core.outputEnded() || core.mayHaveRoom() && port.hasRoom() && memory.sends().hasRoom());
    }

    /** Why the connection has ended; {@code null} if both sides wanted it. */
    private IOException reason() {
        if (failure != null || core != null && (core.disconnected() || core.inputEnded() && core.outputEnded())) {
            return failure;
        }
        ConnectionEnd end = connection.end().orElse(null);
        return end == null || end.failure().isEmpty()
                ? new SocketException("the peer reset the stream: it ended the connection before the stream")
                : new IOException("the connection was lost: " + end.failure().get().getMessage(), end.failure().get());
    }

    /** Nothing moves any more. */
    private void end(IOException reason) {
        if (!ended) {
            ended = true;
            failure = reason;
            isConnected = false;
            publish();
            if (connection != null) {
                closing.submit();
            }
            loop.touch(this);
        }
    }

    /** By a worker: a device takes its time. */
    private void closeQueuePair() {
        try {
            connection.close();
        } catch (SystemException | OutOfMemoryError e) {
            // A close can be tried again. Until it succeeds, the peer may use the memory.
            LockSupport.parkNanos(REST_NANOS);
            closing.submit();
            return;
        }
        users();
    }

    /** The queue pair, or the program, needs the memory no more. */
    private void users() {
        if (users.decrementAndGet() == 0) {
            releasing.submit();
        }
    }

    private void release() {
        lock.lock();
        try {
            if (memory != null) {
                memory.release();
            }
            // Nothing reads the program's memory any more.
            completed = posted;
        } finally {
            lock.unlock();
            loop.touch(this);
            loop.released(this);
        }
    }

    // For programs.

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
            checkOpen();
            int total = 0;
            boolean consumed = false;
            while (core != null && total < length && core.unread() > 0) {
                Grants grants = memory.grants();
                int range = core.grant();
                int part = Math.min(length - total, core.unread());
                MemorySegment.copy(grants.memory(range), grants.start(range) + core.offset(), into, offset + total, part);
                total += part;
                if (core.consume(part)) {
                    grants.consumed(range);
                    consumed = true;
                }
            }
            if (consumed) {
                progress();
            } else {
                publish();
            }
            return total > 0 || length == 0 ? total : atEnd();
        } finally {
            lock.unlock();
        }
    }

    private int atEnd() throws IOException {
        if (core != null && core.inputEnded()) {
            return -1;
        }
        if (ended) {
            throw failed();
        }
        return 0;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
    }

    private IOException failed() {
        return failure == null ? new IOException("the stream has ended") : new IOException(failure.getMessage(), failure);
    }

    private void checkOutput() throws IOException {
        checkOpen();
        if (shut) {
            throw new IOException("the output of the stream is shut down");
        }
        if (ended) {
            throw failed();
        }
        if (core == null) {
            throw new IOException("the stream is not connected yet");
        }
        if (core.outputEnded()) {
            throw new IOException("the peer has closed the stream");
        }
    }

    /**
     * Copies bytes, to be sent at the next {@link #flush()} or earlier.
     *
     * @param from   the bytes
     * @param offset where they begin
     * @param length how many at most
     * @return how many were taken; 0 if there is no room now
     * @throws IOException if the stream has ended, or its output has
     */
    public int write(MemorySegment from, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.byteSize());
        int total = 0;
        lock.lock();
        try {
            checkOutput();
            while (total < length && port.hasRoom()) {
                int part = Math.min(length - total, core.room());
                if (part > MessagePort.INLINE) {
                    part = Math.min(part, memory.sends().room());
                }
                if (part == 0) {
                    break;
                }
                copy(from, offset + total, part);
                total += part;
            }
            publish();
            return total;
        } catch (StreamProtocolException e) {
            end(e);
            throw e;
        } catch (VerbsException | OutOfMemoryError e) {
            if (total == 0) {
                throw new IOException(e.getMessage(), e);
            }
            // Those bytes are on their way; the next call throws.
            return total;
        } finally {
            lock.unlock();
        }
    }

    private void copy(MemorySegment from, long offset, int length) {
        long address = core.address();
        int message = core.send(length);
        posted += length;
        if (length <= MessagePort.INLINE) {
            port.postInline(from, offset, length, address, core.key(), message, posted, false);
        } else {
            SendMemory sends = memory.sends();
            long at = sends.offset();
            boolean full = sends.copy(from, offset, length, posted);
            port.post(sends.region(), at, length, address, core.key(), message, posted, full);
        }
    }

    /**
     * Sends bytes from registered memory, without a copy, at the next {@link #flush()} or earlier. The memory must not change until
     * {@link #completed()} has reached the value of {@link #written()} after this call.
     *
     * @param region of {@link #domain()}
     * @param offset where they begin in the region
     * @param length how many at most
     * @return how many were taken; 0 if there is no room now
     * @throws IOException if the stream has ended, or its output has
     */
    public int write(MemoryRegion region, long offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, region.length());
        lock.lock();
        try {
            checkOutput();
            int total = 0;
            while (total < length && port.hasRoom()) {
                int part = Math.min(length - total, core.room());
                if (part == 0) {
                    break;
                }
                long address = core.address();
                int message = core.send(part);
                posted += part;
                port.post(region, offset + total, part, address, core.key(), message, posted, true);
                total += part;
            }
            publish();
            return total;
        } catch (StreamProtocolException e) {
            end(e);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Sends what was written. It does nothing on a stream that has ended. */
    public void flush() {
        lock.lock();
        try {
            if (port != null && !ended) {
                port.ringDoorbell();
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes, 1 or more if there are any, {@link #read} would give at once; 0 also at the end} */
    public int available() {
        lock.lock();
        try {
            return closed || core == null ? 0 : core.available();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes were written so far} */
    public long written() {
        lock.lock();
        try {
            return posted;
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many bytes, of those that were written, are known to have gone} */
    public long completed() {
        lock.lock();
        try {
            return Math.min(completed, posted);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the domain of its queue pair; valid once it is connected} */
    public ProtectionDomain domain() {
        lock.lock();
        try {
            return memory == null ? null : memory.domain();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it is connected: no longer connecting, and not ended} */
    public boolean isConnected() {
        return isConnected;
    }

    /** {@return whether {@link #read} would not return 0} */
    public boolean canRead() {
        return canRead;
    }

    /** {@return whether {@link #write} would not return 0} */
    public boolean canWrite() {
        return canWrite;
    }

    /** {@return whether it has ended: nothing more comes, and nothing more goes} */
    public boolean hasEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** {@return the reason why it has failed, or {@code null}} */
    public IOException failure() {
        lock.lock();
        try {
            return ended ? failure : null;
        } finally {
            lock.unlock();
        }
    }

    /** {@return the address of this side, or {@code null} before it is connected} */
    public InetSocketAddress localAddress() {
        lock.lock();
        try {
            return connection == null ? null : connection.localAddress();
        } finally {
            lock.unlock();
        }
    }

    /** {@return the address of the peer, or {@code null} before it is connected} */
    public InetSocketAddress remoteAddress() {
        lock.lock();
        try {
            return connection == null ? null : connection.remoteAddress();
        } finally {
            lock.unlock();
        }
    }

    /** Ends its output: the peer reads what was written, and then the end. */
    public void shutdownOutput() {
        lock.lock();
        try {
            shut = true;
            progress();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends it both ways. What was written still goes out, for {@link StreamOptions#linger()} at most. A stream that is not connected yet
     * gives up.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (core == null) {
                cut();
            }
            progress();
        } finally {
            lock.unlock();
        }
        // Threads that wait look again.
        loop.touch(this);
        loop.linger(this, options.linger());
        users();
    }

    /** Cuts it: bytes that were written may be lost, and the peer's stream fails. */
    public void abort() {
        lock.lock();
        try {
            cut();
        } finally {
            lock.unlock();
        }
        close();
    }

    /** The lock is held. */
    private void cut() {
        end(CLOSED);
        if (opening != null) {
            // The outcome of the attempt does the rest.
            givingUp.submit();
        }
    }

    private void giveUp() {
        AutoCloseable attempt;
        lock.lock();
        try {
            attempt = opening;
            opening = null;
        } finally {
            lock.unlock();
        }
        close(attempt);
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return "stream from " + localAddress() + " to " + remoteAddress() + (ended ? ", ended" : "") + ", " + posted
                    + " bytes written, " + completed + " gone; " + core;
        } finally {
            lock.unlock();
        }
    }

    // For the loop.

    /** {@return whether it was closed, and bytes may still have to go out} */
    boolean isClosing() {
        lock.lock();
        try {
            return closed && !ended;
        } finally {
            lock.unlock();
        }
    }

    void lingersUntil(long nanos) {
        deadline = nanos;
    }

    /** {@return whether it needs to be watched no longer} */
    boolean hasLingered(long now) {
        lock.lock();
        try {
            if (!ended && now - deadline >= 0) {
                end(new IOException("the peer did not take what was written in time"));
            }
            return ended;
        } finally {
            lock.unlock();
        }
    }
}

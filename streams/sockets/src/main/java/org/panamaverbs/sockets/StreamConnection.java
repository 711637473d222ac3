package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.device.Transport;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The queue pair of a stream from its opening to its release, with the stream's life, its two parts and its memory. The caller of each method
 * holds the stream's lock, unless the method says otherwise.
 */
// Tested by VerbsSocketTest, HostilePeerTest.
final class StreamConnection {
    /**
     * What the streams of a loop share.
     *
     * @param carries whether messages may carry bytes, as soon as the peer says that, too
     */
    record Resources(Device device, CompletionQueue queue, BlockPool pool, Executor executor, boolean carries) {
    }

    /** The stream. It is called with the lock or without. */
    interface Owner {
        /** Something has changed that the program wants to know. */
        void changed();

        /** The memory is free. */
        void released();
    }

    private final Lock lock;
    private final Resources resources;
    private final StreamOptions options;
    private final Owner owner;
    private final boolean bySends;
    private final boolean carries;
    private final StreamLife life = new StreamLife();
    private final StreamInput input = new StreamInput();
    private final StreamOutput output = new StreamOutput();
    private final StreamOpening opening;
    private final StreamRelease release = new StreamRelease(this::releaseMemory);

    /** Both exist once it opens. */
    private @Nullable StreamMemory memory;
    private @Nullable MessagePort port;
    /** Whether {@link #sendDue} may have something to do. */
    private volatile boolean due;
    private volatile @Nullable Connection connection;

    /**
     * Begins nothing yet.
     *
     * @param lock  the stream's
     * @param owner the stream, which completions name
     */
    StreamConnection(Lock lock, Resources resources, StreamOptions options, Owner owner) {
        this.lock = lock;
        this.resources = resources;
        this.options = options;
        this.owner = owner;
        bySends = resources.device.attributes().transport() == Transport.IWARP;
        carries = bySends && resources.carries;
        opening = new StreamOpening(lock, new Opened());
    }

    StreamLife life() {
        return life;
    }

    StreamInput input() {
        return input;
    }

    StreamOutput output() {
        return output;
    }

    /** {@return the memory; {@code null} before it opens} */
    @Nullable
    StreamMemory memory() {
        return memory;
    }

    /**
     * Throws if the program cannot write.
     *
     * @throws IOException if the stream is closed or has ended, or its output has, or there is no memory for it
     */
    void checkOutput() throws IOException {
        life.checkOpen();
        output.checkOpen();
        life.checkEnd();
        output.checkPeer();
        if (memory == null) {
            try {
                openMemory();
            } catch (VerbsException | OutOfMemoryError e) {
                throw new IOException(e.getMessage(), e);
            }
        }
    }

    private StreamMemory openMemory() {
        StreamMemory opened = new StreamMemory(resources.device, resources.pool, options);
        memory = opened;
        output.open(opened.sends());
        return opened;
    }

    private MessagePort port() {
        return Objects.requireNonNull(port);
    }

    private Connection established() {
        return Objects.requireNonNull(connection);
    }

    // Any thread may ask these.

    /** {@return the address of this side, or {@code null} before it is connected} */
    @Nullable
    InetSocketAddress localAddress() {
        Connection established = connection;
        return established == null ? null : established.localAddress();
    }

    /** {@return the address of the peer, or {@code null} before it is connected} */
    @Nullable
    InetSocketAddress remoteAddress() {
        Connection established = connection;
        return established == null ? null : established.remoteAddress();
    }

    /** {@return the provider's counts of the queue pair, or {@code null} before it is connected} */
    @Nullable
    QueuePairStatistics statistics() {
        Connection established = connection;
        return established == null ? null : established.queuePair().statistics();
    }

    /** Connects to a peer. Called by a worker, without the lock. */
    void connect(Supplier<Connector> source, Duration timeout) {
        opening.connect(source, timeout);
    }

    /** Accepts a peer. Called by a worker, without the lock. */
    void accept(ConnectionRequest request, Duration timeout) {
        opening.accept(request, timeout);
    }

    private final class Opened implements StreamOpening.Owner {
        @Override
        public ConnectionParameters open(StreamOpening.Maker maker, boolean peerCarries) {
            if (life.state().hasEnded()) {
                throw new IllegalStateException("the stream was closed before it was connected");
            }
            StreamMemory opened = memory == null ? openMemory() : memory;
            QueuePair queuePair = maker.make(opened.domain(),
                    QueuePairAttributes.of(resources.queue).withDepths(MessagePort.SENDS, MessagePort.RECEIVES)
                            .withElements(MessagePort.ELEMENTS, 1).withInline(MessagePort.INLINE).withAttachment(owner));
            port = new MessagePort(queuePair, bySends, opened.region());
            ConnectionParameters parameters = ConnectionParameters.defaults()
                    .withPrivateData(opened.privateData(carries && peerCarries).encode());
            // The peers of rdma-core send a Read of no bytes first on iWARP.
            return bySends ? parameters.withReads(1, 1) : parameters;
        }

        @Override
        public void connected(Connection established) {
            resources.executor.execute(() -> onConnected(established));
        }

        @Override
        public void failed(IOException reason) {
            boolean unconnected;
            lock.lock();
            try {
                unconnected = connection == null;
                end(reason);
            } finally {
                lock.unlock();
            }
            if (unconnected) {
                release.leave();
            }
        }
    }

    private void onConnected(Connection established) {
        lock.lock();
        try {
            // The peer's first message may have come before.
            if (connection == null) {
                begin(established);
            }
        } finally {
            lock.unlock();
        }
        owner.changed();
    }

    private void begin(Connection established) {
        connection = established;
        if (life.state().hasEnded()) {
            release.close(established);
            return;
        }
        try {
            PrivateData peer = PrivateData.decode(established.privateData());
            MessagePort messages = port();
            StreamMemory opened = Objects.requireNonNull(memory);
            messages.connected(peer.bigEndian());
            StreamCore core = opened.core(peer, bySends, carries);
            input.begin(core, opened.grants(), messages);
            output.begin(core, messages);
            output.publish();
            life.connect();
            // Bytes that wait, and the end behind them.
            due = true;
        } catch (StreamProtocolException | RuntimeException | Error e) {
            // Whatever fails, the program waits for an outcome.
            end(StreamOpening.failure(e));
        }
    }

    /** A request has completed. */
    void onCompletion(Completions completion) {
        due = true;
        if (connection == null && port != null && !life.state().hasEnded()) {
            Connection.of(port.queuePair()).ifPresent(this::begin);
        }
        if (!life.state().isConnected()) {
            // Of an attempt that has failed, or after the end.
            return;
        }
        try {
            if (!completion.isReceive()) {
                output.onCompletion(completion);
            } else if (completion.isSuccess()) {
                input.receive(completion);
            } else {
                // It is the last: those that succeeded came before.
                end(reason());
            }
        } catch (StreamProtocolException e) {
            end(e);
        }
        output.publish();
    }

    /** Why the connection has ended; {@code null} if both sides wanted it. */
    private @Nullable IOException reason() {
        if (output.failure() != null || output.hasEnded()) {
            return output.failure();
        }
        ConnectionEnd end = established().end().orElse(null);
        return end == null || end.failure().isEmpty()
                ? new SocketException("the peer reset the stream: it ended the connection before the stream")
                : new IOException("the connection was lost: " + end.failure().get().getMessage(), end.failure().get());
    }

    /** Sends what the program has written, and what {@link #sendDue} sends with it. */
    void flush() {
        if (life.state().isConnected()) {
            output.post();
            sendDue();
        }
    }

    /** The peer should get grants or credits soon. */
    void becomeDue() {
        due = true;
    }

    /** {@return whether {@link #sendDue} may have something to do} Any thread may ask. */
    boolean isDue() {
        return due;
    }

    /** Sends what was posted, and the messages without data that are due. */
    void sendDue() {
        if (!life.state().isConnected()) {
            return;
        }
        due = false;
        try {
            output.sendWaiting();
            input.postDue();
            output.postEnds(life.state() == StreamState.CLOSING);
            port().ringDoorbell();
            output.publish();
            if (output.isDrained() && established().isConnected()) {
                established().disconnect();
            }
        } catch (StreamProtocolException e) {
            end(e);
        } catch (VerbsException | OutOfMemoryError e) {
            end(new IOException("the stream has no memory to go on: " + e.getMessage(), e));
        }
    }

    /** {@return whether the program closes it for the first time} A stream that has nothing for its peer connects no more. */
    boolean close() {
        if (connection == null && !output.isDue()) {
            end(StreamLife.CLOSED);
        }
        if (!life.close()) {
            return false;
        }
        sendDue();
        return true;
    }

    /** Gives the memory for sending back if the stream is idle. */
    void releaseIfIdle() {
        if (life.state().isConnected()) {
            output.releaseIfIdle();
        }
    }

    /** Nothing moves any more. The first reason counts. */
    void end(@Nullable IOException reason) {
        if (life.end(reason)) {
            input.end();
            if (connection == null) {
                opening.giveUp();
            } else {
                release.close(connection);
            }
            owner.changed();
        }
    }

    /** The program needs the memory no more. Called without the lock. */
    void leave() {
        release.leave();
    }

    private void releaseMemory() {
        lock.lock();
        try {
            if (memory != null) {
                memory.release();
            }
            output.release();
        } finally {
            lock.unlock();
            owner.changed();
            owner.released();
        }
    }

    @Override
    public String toString() {
        Connection established = connection;
        return (established == null ? "stream" : "stream from " + established.localAddress() + " to " + established.remoteAddress()) + ", "
                + life.state() + ", " + output;
    }
}

package org.panamaverbs.softiwarp.progress;

import java.net.InetSocketAddress;
import java.util.function.IntUnaryOperator;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.qp.InboundStream;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.support.Complaints;

/**
 * Drives a stream over a channel: moves bytes between the two, and closes the channel when the stream ends.
 *
 * <p>The loop's leader receives and takes the steps of the {@link CloseSequence}, and alone writes the fields here, but for {@code unended}.
 * {@link StreamSender} transmits, on any thread.
 *
 * <p><b>Failures of our own steps</b> (memory runs out, a class cannot be loaded, a bug) end the connection. They are caught in two places:
 * {@link #turn} for the leader, and the sender's loop for the thread that transmits. A connection makes the objects of its end when it begins.
 * If a step of the end fails nevertheless, {@link #close} throws that failure: it returns only when no memory is in use.
 */
public final class StreamDriver implements Driver {
    private static final int VECTOR_PARTS = 32;
    /** One limit for all connections: if memory runs out, all of them may fail. */
    private static final Complaints COMPLAINTS = new Complaints(StreamDriver.class);
    private static final Complaints.Message FAILED = COMPLAINTS.message("soft-iwarp itself failed; closing the connection to {}");
    private static final Complaints.Message END_FAILED = COMPLAINTS.message("soft-iwarp failed while it ended the connection to {}");

    /** Is notified when the connection ends. */
    public interface Listener {
        /**
         * The stream is over. Called on any thread, before any request or receive is flushed; must not block. Called again with the same
         * reason if a step of the end fails.
         */
        void onEnded(EndReason reason);

        /**
         * The channel has taken a Terminate of this side. Called at most once, on any thread; must not block.
         *
         * @param error one of {@link TerminateCode}
         */
        default void onTerminateSent(int error) {
            // The driver has reported the end already.
        }
    }

    /** The channel's direction to this side. */
    private enum Input {
        /** Bytes may come. */
        OPEN,
        /** The peer has ended its direction. */
        ENDED,
        /** Nothing can be received or sent any more. */
        BROKEN
    }

    private final Loop loop;
    private final Channel channel;
    private final Stream stream;
    private final InboundStream inbound;
    private final Listener listener;
    private final Calls calls = new Calls();
    private final StreamSender sender;
    private final CloseSequence sequence;
    private Runnable onClosed = () -> {
        // There is no listener.
    };

    private Runnable release = () -> {
        // The stream's memory has another owner.
    };

    /** Where the next bytes go; empty if the stream has to be asked. */
    private final IoVector target = new IoVector(VECTOR_PARTS);
    private Input input = Input.OPEN;
    private boolean readable;
    /** Whether the driver is in the loop's queue of ready drivers. */
    private boolean queued;
    private boolean transmitDue;
    private Timer timer;
    /** The failure of a step of the end, since the last {@link #close}; {@code null} if there was none. */
    private volatile Throwable unended;

    /** Makes a driver; no bytes move before {@link #start}. */
    public StreamDriver(Loop loop, Channel channel, Stream stream, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.inbound = stream.inbound();
        this.listener = listener;
        this.sender = new StreamSender(loop, channel, stream, calls);
        this.sequence = new CloseSequence(stream);
    }

    /** What the bytes go through. */
    public Channel.Path path() {
        return channel.path();
    }

    /** The peer's address. */
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /**
     * Makes the FPDUs follow the size of the channel's segments. Call it before {@link #start}.
     *
     * @param longest the longest DDP segment in bytes, header included, for a size of TCP segments in bytes
     */
    public void followSegments(IntUnaryOperator longest) {
        sender.followSegments(longest);
    }

    /** Sets a task for the leader to run once the channel is closed. Call it before {@link #start}. */
    public void whenClosed(Runnable task) {
        onClosed = task;
    }

    /** Sets a task that gives the stream's memory back; the leader runs it when no thread can use that memory. Call it before {@link #start}. */
    public void whenUnused(Runnable task) {
        release = task;
    }

    /** The channel. */
    Channel channel() {
        return channel;
    }

    /** Starts moving bytes. The leader calls it, after it has directed the channel's events here. */
    public void start() {
        loop.add(this);
        onReady(Multiplexer.READABLE | Multiplexer.WRITABLE);
    }

    @Override
    public void onReady(int events) {
        if ((events & Multiplexer.READABLE) != 0) {
            readable = true;
            enqueue();
        }
        if ((events & Multiplexer.WRITABLE) != 0) {
            sender.onWritable();
        }
    }

    private void enqueue() {
        if (!queued && !sequence.isClosed()) {
            queued = true;
            loop.addReady(this);
        }
    }

    /** Whether the channel takes no more bytes until it reports that it is writable. */
    boolean isBlocked() {
        return sender.isBlocked();
    }

    /** Receives what is there without an event; {@code true} if there may be more. */
    boolean readDirectly() {
        if (input != Input.OPEN || sequence.isClosed()) {
            return false;
        }
        // As if an event had queued the driver: so nothing that happens meanwhile queues it twice.
        readable = true;
        queued = true;
        return onTurn();
    }

    @Override
    public boolean onTurn() {
        turn();
        queued = (readable || transmitDue) && !sequence.isClosed();
        return queued;
    }

    /**
     * Does what there is to do for the leader. This method is long on purpose: HotSpot inlines no method of more than 325 bytes of bytecode
     * ({@code FreqInlineSize}). So it compiles the code of receiving once, and not again for each method that leads (InliningTest).
     */
    private void turn() {
        try {
            Recorder recorder = Recorder.get();
            long begin = recorder.isTimingOperations() ? loop.now() : 0;
            if (transmitDue) {
                transmitDue = false;
                kick();
            }
            long budget = TurnBudget.RECEIVE_BYTES;
            long mostFpdus = stream.counters().segmentsReceived() + TurnBudget.RECEIVE_FPDUS;
            while (readable && budget > 0 && stream.counters().segmentsReceived() < mostFpdus && !sequence.isClosed()) {
                boolean receives = stream.state().receives();
                if (!receives) {
                    discard();
                } else if (target.size() == 0) {
                    inbound.poll(target);
                }
                if (!target.enter()) {
                    inbound.onBadMemory();
                    break;
                }
                boolean before = sender.failure() != null;
                long count;
                try {
                    count = channel.read(target);
                } finally {
                    target.exit();
                }
                if (count == Channel.BAD_MEMORY && receives) {
                    inbound.onBadMemory();
                    break;
                } else if (count <= 0) {
                    onNothing(count, before);
                    break;
                }
                // If the channel can no longer be written, there may be no further event: then this side reads on until no bytes come.
                readable = count == target.bytes() || sender.failure() != null;
                target.clear();
                if (receives) {
                    inbound.onReceived(count);
                }
                budget -= count;
            }
            if (inbound.takeTransmissionDue()) {
                kick();
            }
            advanceClose();
            if (begin != 0) {
                recorder.onTurn(channel.remoteAddress(), loop.now() - begin);
            }
        } catch (RuntimeException | Error e) {
            onFailedTurn(e);
        }
    }

    /** Takes the next steps of the end, outside of a turn. */
    private void advance() {
        try {
            advanceClose();
        } catch (RuntimeException | Error e) {
            onFailedTurn(e);
        }
    }

    /** Ends this connection; the others of the loop continue. */
    private void onFailedTurn(Throwable failure) {
        boolean again = input == Input.BROKEN;
        input = Input.BROKEN;
        readable = false;
        transmitDue = false;
        target.clear();
        if (again) {
            onFailedEnd(failure);
        } else {
            end(failure, calls);
        }
    }

    /** Keeps a failure of our own steps as the reason for the end, unless there is a reason already, and ends the connection. */
    private void end(Throwable failure, Runnable step) {
        try {
            stream.life().lose(EndReason.defect(failure));
            FAILED.error(this, failure);
            step.run();
        } catch (RuntimeException | Error e) {
            onFailedEnd(e);
        }
    }

    /** A step of the end failed. The next event, or a close, takes the step again. */
    private void onFailedEnd(Throwable failure) {
        unended = failure;
        END_FAILED.error(this, failure);
    }

    /** The peer, for the log: made only if the message is logged. */
    @Override
    public String toString() {
        return Route.text(channel.remoteAddress());
    }

    // Receiving, by the leader.

    /** Has the next bytes dropped. */
    private void discard() {
        target.clear();
        target.add(loop.scratch(), 0, loop.scratch().byteSize());
    }

    /**
     * A read has brought nothing.
     *
     * @param before whether the channel could no longer be written before that read. If a write failed since, the peer's last bytes may have
     *               come after the read: {@link Calls#onWriteFailed} has this side read once more.
     */
    private void onNothing(long count, boolean before) {
        readable = false;
        VerbsException failure = sender.failure();
        if (count == Channel.BROKEN || before || count == Channel.END_OF_STREAM && failure != null) {
            input = Input.BROKEN;
            stream.life().lose(EndReason.broken(failure != null ? failure : channel.failure()));
        } else if (count == Channel.END_OF_STREAM) {
            input = Input.ENDED;
            inbound.onEndOfStream();
        }
    }

    // Transmitting, by the sender.

    /** Sends what can be sent. */
    public void kick() {
        sender.kick();
    }

    private void takeTransmission() {
        transmitDue = true;
        enqueue();
    }

    // The end.

    /** Ends the connection in good order, once everything posted is sent and done. */
    public void disconnect() {
        stream.disconnect();
        kick();
        loop.execute(calls);
    }

    /**
     * Ends the connection at once. Returns when all requests and receives are flushed and their memory is no longer in use.
     *
     * @throws SystemException if a step of the end failed, for example because a class cannot be loaded; the memory may still be in use
     */
    public void close() {
        unended = null;
        stream.close();
        do {
            // A step that another thread is taking may not be done yet.
            kick();
            loop.call(calls);
            Throwable failure = unended;
            if (failure != null && !inbound.isFlushed()) {
                throw new SystemException("connection to " + Route.text(channel.remoteAddress()) + ": cannot be closed: " + failure
                        + "; its memory may still be in use, do not free it. The log has more", failure);
            }
        } while (!inbound.isFlushed());
        // Flushes requests and receives that were posted meanwhile.
        kick();
        loop.call(calls);
    }

    /** Takes the next steps of the {@link CloseSequence}. */
    private void advanceClose() {
        if (stream.state() == StreamState.RTS) {
            return;
        }
        if (inbound.isFlushed()) {
            // Receives may have been posted since.
            inbound.flush();
        }
        while (!sequence.isClosed()) {
            kick();
            long nanoTime = loop.now();
            switch (sequence.poll(nanoTime, input != Input.OPEN, isSilent())) {
                case WAIT -> {
                    arm(sequence.timeout(nanoTime));
                    return;
                }
                case END_DRAIN -> stream.endDrain();
                case GIVE_UP -> stream.giveUpDrain();
                case FLUSH -> inbound.flush();
                case SHUT_OUTPUT -> {
                    channel.shutdownOutput();
                    readable = true;
                    enqueue();
                }
                case CLOSE -> finish();
            }
        }
    }

    /** Whether nothing can be sent any more. */
    private boolean isSilent() {
        EndReason reason = stream.life().reason();
        return input == Input.BROKEN || sender.failure() != null || reason != null && reason.isSilent();
    }

    private void arm(long nanos) {
        if (timer == null && nanos >= 0) {
            timer = loop.schedule(nanos, this::onTimer);
        }
    }

    private void onTimer() {
        timer = null;
        advance();
    }

    private void finish() {
        stream.onFinished();
        try {
            channel.close();
        } finally {
            // The listener's count of connections, and the loop's list, must not keep a connection that is gone.
            onClosed.run();
            loop.remove(this);
        }
        if (timer != null) {
            timer.cancel();
        }
        // The owner gives the buffers back to the pool.
        kick();
    }

    @Override
    public void closeNow() {
        unended = null;
        stream.close();
        input = Input.BROKEN;
        advance();
        if (!sequence.isClosed() && unended == null) {
            // Another thread transmits: it cuts before it releases.
            loop.execute(this::closeNow);
        }
    }

    /** Flushes receives that were posted after the end. */
    public void flushLate() {
        loop.execute(calls);
    }

    /** Serves the sender's calls, and is the task that takes the next steps of the end. */
    private final class Calls implements StreamSender.Host, Runnable {
        private final Runnable abandonment = this::abandon;

        @Override
        public void run() {
            advance();
        }

        @Override
        public void transmitLater() {
            loop.execute(StreamDriver.this::takeTransmission);
        }

        @Override
        public void onEnded() {
            listener.onEnded(stream.life().reason());
        }

        @Override
        public void onStage() {
            if (stream.outbound().hasTerminated()) {
                listener.onTerminateSent(stream.life().reason().terminate());
            }
            loop.execute(calls);
        }

        @Override
        public void onSilent() {
            // Later: a leader that closes the connection within a turn of it may still be receiving.
            loop.execute(release);
        }

        @Override
        public void onWriteFailed() {
            // Not lost yet: a peer that sends a Terminate and closes resets the connection, but its Terminate can still be read.
            loop.execute(() -> onReady(Multiplexer.READABLE));
        }

        @Override
        public void onFailure(Throwable failure) {
            end(failure, abandonment);
        }

        private void abandon() {
            sender.abandon();
            loop.execute(this);
        }
    }
}

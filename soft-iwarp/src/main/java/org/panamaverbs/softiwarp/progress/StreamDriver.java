package org.panamaverbs.softiwarp.progress;

import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Drives a stream over a channel: moves bytes between the two, and closes the channel when the stream ends.
 *
 * <p>The loop's leader receives, takes the steps of the {@link CloseSequence}, and alone writes the fields here. {@link StreamSender}
 * transmits, on any thread, and {@link StreamEnd} is what both know of the end.
 */
public final class StreamDriver implements Driver {
    private static final int VECTOR_PARTS = 32;
    /** How long {@link #close} tries again after a failure: memory that ran out may be there again. */
    private static final long CLOSE_NANOS = 1_000_000_000L;
    /** After a failure the leader waits this long before it takes the steps of the close again. */
    private static final long RETRY_NANOS = 100_000_000L;

    /** Is told when the connection ends. */
    public interface Listener {
        /**
         * The stream is over. Called on any thread, before any request or receive is flushed; must not block. Called once, and again if it
         * throws.
         *
         * @param failure the cause, or {@code null} if the stream ended in good order
         */
        void onDisconnected(VerbsException failure);

        /**
         * The channel has taken a Terminate of this side. Called at most once, on any thread; must not block.
         *
         * @param error one of {@link TerminateCode}
         */
        default void onTerminateSent(int error) {
            // The driver has reported the end already.
        }
    }

    private final Loop loop;
    private final Channel channel;
    private final Stream stream;
    private final Listener listener;
    private final StreamEnd end;
    private final StreamSender sender;
    private final CloseSequence sequence;
    private final Runnable advanceClose = this::advanceClose;
    private Runnable onClosed = () -> {
        // There is no listener.
    };

    private final IoVector target = new IoVector(VECTOR_PARTS);
    /** Whether the target holds what the stream asked for last; it stays the same until bytes come. */
    private boolean targeted;
    private boolean readable;
    /** Whether the driver is in the loop's queue of ready drivers. */
    private boolean queued;
    private boolean transmitDue;
    private boolean endOfStream;
    /** Whether nothing can be received or sent any more. */
    private boolean lost;
    private Timer timer;
    private volatile boolean flushed;
    /** The failure of the last steps of the close, for the thread that waits for them. */
    private volatile Throwable closeFailure;

    /** Makes a driver; no bytes move before {@link #start}. */
    public StreamDriver(Loop loop, Channel channel, Stream stream, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.listener = listener;
        this.end = new StreamEnd(stream, channel.remoteAddress(), listener);
        this.sender = new StreamSender(loop, channel, stream, end, new Calls());
        this.sequence = new CloseSequence(stream);
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
        if (!queued && !end.isClosed()) {
            queued = true;
            loop.addReady(this);
        }
    }

    /** Whether the channel takes no more bytes until it reports that it is writable. */
    boolean isBlocked() {
        return sender.isBlocked();
    }

    // Receiving, by the leader.

    /** Receives what is there without an event; {@code true} if there may be more. */
    boolean readDirectly() {
        if (endOfStream || end.isClosed()) {
            return false;
        }
        // As if an event had queued the driver: so nothing that happens meanwhile queues it twice.
        readable = true;
        queued = true;
        return onTurn();
    }

    @Override
    public boolean onTurn() {
        Recorder recorder = Recorder.get();
        if (!recorder.isTimingOperations()) {
            return takeTurn();
        }
        long begin = loop.now();
        boolean again = takeTurn();
        recordTurn(recorder, loop.now() - begin);
        return again;
    }

    /** The loop must learn whether the driver needs another turn, even if the time of this one cannot be recorded. */
    private void recordTurn(Recorder recorder, long nanos) {
        try {
            recorder.onTurn(channel.remoteAddress(), nanos);
        } catch (RuntimeException | Error e) {
            end.onUnrecorded(e);
        }
    }

    private boolean takeTurn() {
        try {
            if (transmitDue) {
                transmitDue = false;
                kick();
            }
            receive();
        } catch (RuntimeException | Error e) {
            end.onDefect("received", e);
            giveUp();
        }
        queued = (readable || transmitDue) && !end.isClosed();
        return queued;
    }

    private void receive() {
        long budget = IdlePolicy.RECEIVE_BYTES;
        long mostFpdus = stream.counters().segmentsReceived() + IdlePolicy.RECEIVE_FPDUS;
        while (readable && budget > 0 && stream.counters().segmentsReceived() < mostFpdus && !end.isClosed()) {
            long count = stream.state().receives() ? receiveOnce() : discardOnce();
            if (count < 0) {
                break;
            }
            budget -= count;
        }
        if (stream.takeTransmissionDue()) {
            kick();
        }
        if (stream.state() != StreamState.RTS) {
            advanceClose();
        }
    }

    private long receiveOnce() {
        if (!targeted) {
            stream.pollReceive(target);
            targeted = true;
        }
        if (!target.enter()) {
            stream.onBadReceiveMemory();
            return -1;
        }
        boolean before = end.isBroken();
        long count;
        try {
            count = channel.read(target);
        } finally {
            target.exit();
        }
        if (count > 0) {
            readable = mayHaveMore(count);
            targeted = false;
            stream.onReceived(count);
        } else if (count == Channel.BAD_MEMORY) {
            stream.onBadReceiveMemory();
        } else {
            onNothing(count, before);
        }
        return count;
    }

    private long discardOnce() {
        targeted = false;
        target.clear();
        target.add(loop.scratch(), 0, loop.scratch().byteSize());
        boolean before = end.isBroken();
        long count = channel.read(target);
        if (count > 0) {
            readable = mayHaveMore(count);
        } else {
            onNothing(count, before);
        }
        return count;
    }

    /** If the channel can no longer be written, there may be no further event: then this side reads on until no bytes come. */
    private boolean mayHaveMore(long count) {
        return count == target.bytes() || end.isBroken();
    }

    /**
     * A read has brought nothing.
     *
     * @param before whether the channel was broken before that read. If a write failed since, the peer's last bytes may have come after the
     *               read: {@link Calls#onWriteFailed} has this side read once more.
     */
    private void onNothing(long count, boolean before) {
        readable = false;
        if (count == Channel.BROKEN || before || count == Channel.END_OF_STREAM && end.isBroken()) {
            breakDown();
        } else if (count == Channel.END_OF_STREAM) {
            endOfStream = true;
            stream.onEndOfStream();
        }
    }

    private void breakDown() {
        if (!end.isBroken()) {
            end.onBroken(channel.failure());
        }
        endOfStream = true;
        lost = true;
        stream.onLost();
    }

    /** A bug showed: this connection ends, the others of the loop continue. */
    private void giveUp() {
        endOfStream = true;
        lost = true;
        readable = false;
        transmitDue = false;
        stream.onLost();
        loop.execute(advanceClose);
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
        loop.execute(advanceClose);
        kick();
    }

    /**
     * Ends the connection at once. Returns when all requests and receives are flushed and their memory is no longer in use.
     *
     * @throws SystemException if it fails again and again, for example because a class cannot be loaded; the memory may still be in use
     */
    public void close() {
        long failing = 0;
        while (true) {
            Throwable failure = tryClose();
            if (flushed) {
                break;
            }
            long now = System.nanoTime();
            if (failure == null) {
                failing = 0;
            } else if (failing == 0) {
                failing = Math.max(1, now);
            } else if (now - failing > CLOSE_NANOS) {
                throw end.unclosed(failure);
            } else {
                LockSupport.parkNanos(1_000_000);
            }
        }
        // Flushes requests and receives that were posted meanwhile.
        kick();
        loop.call(this::flushReceivesLate);
    }

    /** Takes what steps of the close can be taken now; returns the failure of one of them, or {@code null}. */
    private Throwable tryClose() {
        closeFailure = null;
        try {
            stream.close();
            kick();
            loop.call(advanceClose);
        } catch (RuntimeException | Error e) {
            return e;
        }
        return closeFailure;
    }

    /** Takes the next steps of the {@link CloseSequence}. Only the leader calls it. */
    private void advanceClose() {
        try {
            takeCloseSteps();
        } catch (RuntimeException | Error e) {
            closeFailure = e;
            retryLater();
            throw e;
        }
    }

    private void retryLater() {
        try {
            arm(RETRY_NANOS);
        } catch (RuntimeException | Error e) {
            // The caller reports the failure before it. The next event, or a close, takes the steps again.
        }
    }

    private void takeCloseSteps() {
        if (sequence.isFlushed() && !flushed) {
            // It failed the last time.
            flush();
        }
        while (!end.isClosed()) {
            kick();
            long now = loop.now();
            switch (sequence.poll(now, endOfStream, lost || end.isBroken())) {
                case WAIT -> {
                    arm(sequence.timeout(now));
                    return;
                }
                case END_DRAIN -> stream.endDrain();
                case GIVE_UP -> {
                    end.giveUp();
                    stream.giveUpDrain();
                }
                case FLUSH -> flush();
                case SHUT_OUTPUT -> {
                    channel.shutdownOutput();
                    onReady(Multiplexer.READABLE);
                }
                case CLOSE -> finish();
            }
        }
    }

    private void arm(long nanos) {
        if (timer == null && nanos >= 0) {
            timer = loop.schedule(nanos, this::onTimer);
        }
    }

    private void onTimer() {
        timer = null;
        advanceClose();
    }

    private void flush() {
        stream.flushReceiving();
        flushed = true;
    }

    /** Each step happens even if one before it fails: there is no second try. */
    private void finish() {
        end.close();
        try {
            channel.close();
        } finally {
            try {
                onClosed.run();
            } finally {
                leave();
            }
        }
    }

    private void leave() {
        try {
            loop.remove(this);
        } finally {
            if (timer != null) {
                timer.cancel();
            }
            stream.onFinished();
            // The owner gives the buffers back to the pool.
            kick();
        }
    }

    @Override
    public void closeNow() {
        stream.close();
        lost = true;
        advanceClose();
        if (!end.isClosed()) {
            // Another thread transmits: it cuts before it releases.
            loop.execute(this::closeNow);
        }
    }

    /** Whether the drain after a disconnect was given up, because the peer took no data or did not answer a Read. */
    public boolean hasGivenUp() {
        return end.hasGivenUp();
    }

    /** Flushes receives that were posted after the end. */
    public void flushLate() {
        loop.execute(this::flushReceivesLate);
    }

    private void flushReceivesLate() {
        if (flushed) {
            stream.flushReceiving();
        }
    }

    /** Serves the sender's calls. */
    private final class Calls implements StreamSender.Host {
        @Override
        public void transmitLater() {
            loop.execute(StreamDriver.this::takeTransmission);
        }

        @Override
        public void onStage() {
            if (stream.sentTerminate() != TerminateCode.NONE) {
                listener.onTerminateSent(stream.sentTerminate());
            }
            loop.execute(advanceClose);
        }

        @Override
        public void onWriteFailed() {
            // Not lost yet: a peer that sends a Terminate and closes resets the connection, but its Terminate can still be read.
            loop.execute(() -> onReady(Multiplexer.READABLE));
        }

        @Override
        public void onAbandoned() {
            loop.execute(StreamDriver.this::giveUp);
        }
    }
}

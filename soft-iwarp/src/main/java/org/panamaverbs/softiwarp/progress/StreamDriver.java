package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream over a channel: moves bytes between the two, and ends the channel when the stream ends.
 *
 * <p>The loop's leader receives, and takes the steps of the {@link CloseSequence}. The thread that holds the {@link Ownership} transmits:
 * {@link #kick} takes it if it is free, so that a posting thread sends at once; if it is not, the owner looks again before it lets go.
 * Neither waits.
 *
 * <p>Which thread writes which field:
 * <pre>
 * leader   target, targeted, readable, queued, transmitDue, endOfStream, lost, timer, closed, flushed
 * owner    blocked (the leader clears it), broken, transmission
 * any      announced, by a compare-and-set
 * </pre>
 */
public final class StreamDriver implements Multiplexer.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(StreamDriver.class);
    private static final VarHandle ANNOUNCED = Fields.of(MethodHandles.lookup(), "announced", boolean.class);
    private static final int VECTOR_PARTS = 32;

    /** Hears of the end. */
    public interface Listener {
        /**
         * The stream is over; once, on any thread, before a request or receive is flushed. It does not wait.
         *
         * @param failure why, or {@code null} if it ended in good order
         */
        void onDisconnected(VerbsException failure);
    }

    private final Loop loop;
    private final Channel channel;
    private final Stream stream;
    private final Listener listener;
    private final CloseSequence sequence;
    private final Runnable advanceClose = this::advanceClose;

    private final IoVector target = new IoVector(VECTOR_PARTS);
    /** Whether the target is what the stream asked for last; that stays until bytes come. */
    private boolean targeted;
    private boolean readable;
    /** Whether it is among the loop's ready ones. */
    private boolean queued;
    private boolean transmitDue;
    private boolean endOfStream;
    /** Nothing can be received or sent any more. */
    private boolean lost;
    private Timer timer;
    private volatile boolean closed;
    private volatile boolean flushed;

    private final Ownership ownership = new Ownership();
    /** The channel takes no more until it says so. */
    private volatile boolean blocked;
    /** How often the channel has said that it takes more; by the leader. */
    private volatile int writables;
    /** Why the channel broke; the first to notice writes it before the stream is told. */
    private volatile VerbsException broken;
    /** How far the leader knows transmission to be. */
    private Stream.Transmission transmission = Stream.Transmission.OPEN;
    /** Whether the drain after a disconnect was given up. */
    private volatile boolean gaveUp;

    /** Whether the listener has heard of the end. */
    @SuppressWarnings("unused") // by the handle
    private volatile boolean announced;

    /** Makes one; nothing moves before {@link #start}. */
    public StreamDriver(Loop loop, Channel channel, Stream stream, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.listener = listener;
        this.sequence = new CloseSequence(stream);
    }

    /** The channel. */
    Channel channel() {
        return channel;
    }

    /** Starts moving bytes; by the leader, after which the channel's events come here. */
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
            writables = writables + 1;
            blocked = false;
            kick();
        }
    }

    private void enqueue() {
        if (!queued && !closed) {
            queued = true;
            loop.addReady(this);
        }
    }

    /** Whether the channel takes no more until it says so. */
    boolean isBlocked() {
        return blocked;
    }

    // Receiving, by the leader.

    /** Receives what is there, though no event has told of anything; {@code true} if there may be more. */
    boolean readDirectly() {
        if (endOfStream || closed) {
            return false;
        }
        // As if an event had put it among those that are ready: what comes up meanwhile does not put it there twice.
        readable = true;
        queued = true;
        return onTurn();
    }

    /** Its turn: transmits what is left over, and receives what is there; {@code true} if it needs another turn. */
    public boolean onTurn() {
        try {
            if (transmitDue) {
                transmitDue = false;
                kick();
            }
            receive();
        } catch (RuntimeException | Error e) {
            LOG.error("receiving failed; the connection to {} is given up", channel.remoteAddress(), e);
            giveUp();
        }
        queued = (readable || transmitDue) && !closed;
        return queued;
    }

    private void receive() {
        long budget = IdlePolicy.RECEIVE_BYTES;
        long mostFpdus = stream.counters().segmentsReceived() + IdlePolicy.RECEIVE_FPDUS;
        while (readable && budget > 0 && stream.counters().segmentsReceived() < mostFpdus && !closed) {
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
        long count;
        try {
            count = channel.read(target);
        } finally {
            target.exit();
        }
        if (count > 0) {
            readable = count == target.bytes();
            targeted = false;
            stream.onReceived(count);
        } else if (count == Channel.BAD_MEMORY) {
            stream.onBadReceiveMemory();
        } else {
            onNothing(count);
        }
        return count;
    }

    private long discardOnce() {
        targeted = false;
        target.clear();
        target.add(loop.scratch(), 0, loop.scratch().byteSize());
        long count = channel.read(target);
        if (count > 0) {
            readable = count == target.bytes();
        } else {
            onNothing(count);
        }
        return count;
    }

    private void onNothing(long count) {
        readable = false;
        if (count == Channel.BROKEN || broken != null) {
            breakDown();
        } else if (count == Channel.END_OF_STREAM) {
            endOfStream = true;
            stream.onEndOfStream();
        }
    }

    private void breakDown() {
        if (broken == null) {
            broken = channel.failure();
        }
        endOfStream = true;
        lost = true;
        stream.onLost();
    }

    /** A defect showed: this connection cannot go on, the others of the loop do. */
    private void giveUp() {
        endOfStream = true;
        lost = true;
        readable = false;
        transmitDue = false;
        stream.onLost();
        loop.execute(advanceClose);
    }

    // Transmitting, by the owner.

    /** Sends what can be sent. */
    public void kick() {
        if (ownership.kick()) {
            transmitLoop();
        }
    }

    private void transmitLoop() {
        boolean leads = loop.isLeader();
        long budget = leads ? IdlePolicy.TRANSMIT_BYTES : IdlePolicy.POSTER_BYTES;
        int writes = IdlePolicy.TRANSMIT_WRITES;
        while (true) {
            try {
                long before = stream.counters().bytesWritten();
                int calls = transmit(budget, writes);
                budget -= stream.counters().bytesWritten() - before;
                writes -= calls;
            } catch (InternalError e) {
                // A mapped file was cut short, and the JVM reports it late.
                stream.onBadTransmitMemory();
                continue;
            } catch (RuntimeException | Error e) {
                abandon(e);
            }
            if (budget <= 0 || writes <= 0) {
                // The others have their turn; the loop goes on with this one.
                ownership.forceRelease();
                loop.execute(this::transmitLater);
                return;
            }
            if (ownership.release()) {
                return;
            }
            ownership.begin();
        }
    }

    private void transmitLater() {
        transmitDue = true;
        enqueue();
    }

    /** A defect: the connection ends, and its requests are flushed all the same. */
    private void abandon(Throwable defect) {
        LOG.error("transmitting failed; the connection to {} is given up", channel.remoteAddress(), defect);
        blocked = true;
        stream.onLost();
        announceEnd();
        channel.recall();
        stream.abandon();
        loop.execute(this::giveUp);
    }

    /** Transmits until nothing is left, or the channel is blocked, or the budget is used up; returns the writes made. */
    private int transmit(long budget, int writes) {
        long limit = stream.counters().bytesWritten() + budget;
        int calls = 0;
        while (true) {
            if (stream.isCutDue()) {
                cut();
            } else {
                stream.flushLate();
            }
            if (closed) {
                stream.abandon();
                break;
            }
            if (blocked || broken != null || calls == writes || stream.counters().bytesWritten() >= limit) {
                break;
            }
            IoVector vector = stream.pollTransmit();
            if (stream.isCutDue()) {
                continue;
            }
            if (vector.size() == 0) {
                break;
            }
            calls++;
            transmitOnce(vector);
        }
        if (stream.transmission() != transmission) {
            transmission = stream.transmission();
            loop.execute(advanceClose);
        }
        return calls;
    }

    private void cut() {
        announceEnd();
        long taken = channel.recall();
        if (taken > 0) {
            stream.onSent(taken);
        }
        stream.cut();
        // A channel that was still taking the old vector does not say when it takes another.
        blocked = false;
    }

    private void transmitOnce(IoVector vector) {
        if (!vector.enter()) {
            stream.onBadTransmitMemory();
            return;
        }
        long count;
        long all = vector.bytes();
        int before = writables;
        try {
            count = channel.write(vector);
        } finally {
            vector.exit();
        }
        if (count == Channel.BAD_MEMORY) {
            stream.onBadTransmitMemory();
        } else if (count < 0) {
            broken = broken == null ? channel.failure() : broken;
            // Not lost yet: a peer that terminates and closes resets what still comes, and its Terminate is there to be read.
            loop.execute(() -> onReady(Multiplexer.READABLE));
        } else {
            if (count > 0) {
                stream.onSent(count);
            }
            if (count < all) {
                block(before);
            }
        }
    }

    /**
     * The channel took less than all, and says when it takes more.
     *
     * @param before how often it had said so before that
     */
    private void block(int before) {
        blocked = true;
        // Volatile both: the leader counts, then clears the flag; so we see the count, or it clears what we have set.
        if (writables != before) {
            blocked = false;
        }
    }

    // The end.

    /** Ends the connection in good order, once all that was posted is sent. */
    public void disconnect() {
        stream.disconnect();
        loop.execute(advanceClose);
        kick();
    }

    /** Ends the connection at once: returns when no memory of its requests and receives is in use, and all of them are flushed. */
    public void close() {
        stream.close();
        while (!flushed) {
            kick();
            loop.call(advanceClose);
        }
        // Requests and receives that were posted since.
        kick();
        loop.call(this::flushReceivesLate);
    }

    /** Takes the next steps of the end; by the leader. */
    private void advanceClose() {
        while (!closed) {
            kick();
            long now = loop.now();
            switch (sequence.poll(now, endOfStream, lost || broken != null)) {
                case WAIT -> {
                    arm(sequence.timeout(now));
                    return;
                }
                case END_DRAIN -> stream.endDrain();
                case GIVE_UP -> {
                    gaveUp = true;
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

    private void finish() {
        closed = true;
        loop.remove(this);
        if (timer != null) {
            timer.cancel();
        }
        channel.close();
        stream.onFinished();
        // The owner of transmission gives its buffers back.
        kick();
    }

    /** Ends the connection whatever the peer does; by the leader, when the loop ends. */
    void closeNow() {
        stream.close();
        lost = true;
        advanceClose();
        if (!closed) {
            // Another thread transmits: it cuts before it lets go.
            loop.execute(this::closeNow);
        }
    }

    /** Before anything is flushed: a thread that finds a flushed request also finds the connection ended, and why. */
    private void announceEnd() {
        if (ANNOUNCED.compareAndSet(this, false, true)) {
            listener.onDisconnected(failure());
        }
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

    private VerbsException failure() {
        int code = stream.errorCode();
        if (code == TerminateCode.NONE) {
            return null;
        }
        String peer = "connection to " + channel.remoteAddress();
        if (gaveUp) {
            return new PeerException(
                    peer + ": for 2 s the peer took nothing of what was posted before the disconnect; the rest is flushed");
        }
        if (stream.isErrorFromPeer()) {
            return new PeerException(peer + ": the peer terminated it: " + TerminateCode.describe(code));
        }
        if (code == TerminateCode.MPA_CLOSED) {
            return broken != null ? broken : new PeerException(peer + ": the peer closed it in the middle of a message");
        }
        return new PeerException(peer + ": terminated by this side: " + TerminateCode.describe(code));
    }
}

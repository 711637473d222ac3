package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * A stream over a channel: moves bytes between the two, and ends the channel when the stream ends.
 *
 * <p>Receiving belongs to the loop's leader. Transmitting belongs to whoever owns it: {@link #kick} takes it where it is free, which lets
 * a poster's thread send at once; where it is not, the owner looks once more before it lets go. Neither ever waits.
 */
public final class StreamDriver implements Multiplexer.Handler {
    /** Bytes received in one go before other links have their turn. */
    private static final long RECEIVE_BUDGET = 4L << 20;
    private static final int VECTOR_PARTS = 32;
    /** How long the peer may take to end its direction after we ended ours. */
    static final long LINGER_NANOS = 2_000_000_000L;

    private static final int FREE = 0;
    private static final int OWNED = 1;
    private static final int OWNED_AND_KICKED = 2;
    private static final VarHandle TRANSMITTER = Fields.of(MethodHandles.lookup(), "transmitter", int.class);
    private static final VarHandle ANNOUNCED = Fields.of(MethodHandles.lookup(), "announced", boolean.class);

    /** Hears of the end. */
    public interface Listener {
        /**
         * The stream left RTS; once, on any thread. It does not wait.
         *
         * @param failure why, or {@code null} where it ended in good order
         */
        void onDisconnected(VerbsException failure);
    }

    private final EventLoop loop;
    private final Channel channel;
    private final Stream stream;
    private final Listener listener;
    private final Runnable advanceClose = this::advanceClose;
    private final Runnable lastRead = () -> onReady(Multiplexer.READABLE);
    private final Runnable lateFlush = this::flushReceivesLate;

    /** Of the leader. */
    private final IoVector target = new IoVector(VECTOR_PARTS);
    /** Whether the target is what the stream asked for last; that stays until bytes come. */
    private boolean targeted;
    private boolean readable;
    private boolean queued;
    private boolean shut;
    private boolean lingering;
    private boolean endOfStream;
    private boolean gone;

    @SuppressWarnings("unused") // by the handle
    private volatile int transmitter;
    /** Whether the listener has heard of the end. */
    @SuppressWarnings("unused") // by the handle
    private volatile boolean announced;
    /** The channel takes no more until it says so; set by the owner of transmission, cleared by the leader. */
    private volatile boolean blocked;
    /** How often the channel has said that it takes more; by the leader. */
    private volatile int writables;
    /** No more is sent: the channel's output is shut, or broken. Written by the leader, read by the owner of transmission. */
    private volatile boolean shutOutput;
    /** Why the channel broke; the first to notice writes it before the stream is told. */
    private volatile VerbsException broken;

    /** Makes one; nothing moves before {@link #start}. */
    public StreamDriver(EventLoop loop, Channel channel, Stream stream, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.listener = listener;
    }

    /** The channel. */
    public Channel channel() {
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
            if (!queued && !gone) {
                queued = true;
                loop.addReady(this);
            }
        }
        if ((events & Multiplexer.WRITABLE) != 0) {
            writables = writables + 1;
            blocked = false;
            kick();
        }
    }

    /** Whether the channel takes no more until it says so. */
    boolean isBlocked() {
        return blocked;
    }

    /** Receives what is there, where no event has told of anything; {@code true} where there may be more. */
    boolean probe() {
        if (endOfStream) {
            return false;
        }
        // As if an event had put it among those that are ready: what comes up meanwhile does not put it there twice.
        readable = true;
        queued = true;
        return receive();
    }

    /** Receives what is there; {@code true} where there may be more. */
    boolean receive() {
        long budget = RECEIVE_BUDGET;
        while (readable && budget > 0 && !gone) {
            boolean running = stream.state() == StreamState.RTS;
            long count = running ? receiveOnce() : discardOnce();
            if (count < 0) {
                break;
            }
            budget -= count;
        }
        if (stream.state() == StreamState.RTS) {
            if (budget < RECEIVE_BUDGET && stream.isTransmissionDue()) {
                kick();
            }
        } else {
            advanceClose();
        }
        queued = readable && !gone;
        return queued;
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
        stream.onLost();
    }

    /** Sends what can be sent. */
    public void kick() {
        while (true) {
            int state = (int) TRANSMITTER.getVolatile(this);
            if (state == FREE) {
                if (TRANSMITTER.compareAndSet(this, FREE, OWNED)) {
                    transmitLoop();
                    return;
                }
            } else if (state == OWNED) {
                if (TRANSMITTER.compareAndSet(this, OWNED, OWNED_AND_KICKED)) {
                    return;
                }
            } else {
                // The owner takes the kick back, then looks; we have written what it is to see, then look: one of the two sees the other.
                VarHandle.fullFence();
                if ((int) TRANSMITTER.getVolatile(this) == OWNED_AND_KICKED) {
                    return;
                }
            }
        }
    }

    private void transmitLoop() {
        while (true) {
            try {
                transmit();
            } catch (InternalError e) {
                // A mapped file was cut short, and the JVM reports it late. What is left of the vector is not to be tried again.
                blocked = true;
                stream.onBadTransmitMemory();
                loop.execute(advanceClose);
            } catch (RuntimeException | Error e) {
                // A defect, which must not leave transmission owned for ever.
                blocked = true;
                stream.onLost();
                TRANSMITTER.setVolatile(this, FREE);
                loop.execute(advanceClose);
                throw e;
            }
            if (TRANSMITTER.compareAndSet(this, OWNED, FREE)) {
                return;
            }
            // Kicked meanwhile. First the kick is taken back, then we look.
            TRANSMITTER.setVolatile(this, OWNED);
        }
    }

    private void transmit() {
        boolean wasRunning = stream.state() == StreamState.RTS;
        while (!blocked && !shutOutput && broken == null) {
            IoVector vector = stream.pollTransmit();
            if (vector.size() == 0) {
                break;
            }
            if (!transmitOnce(vector)) {
                break;
            }
        }
        StreamState now = stream.state();
        if (now != StreamState.RTS && now != StreamState.IDLE) {
            announceEnd();
            stream.flushRequests();
            if (wasRunning || !loop.isLeader()) {
                loop.execute(advanceClose);
            }
        }
    }

    private boolean transmitOnce(IoVector vector) {
        if (!vector.enter()) {
            stream.onBadTransmitMemory();
            return false;
        }
        long count;
        long all = vector.bytes();
        int before = writables;
        try {
            count = channel.write(vector);
        } finally {
            vector.exit();
        }
        if (count < 0) {
            // What is left of the vector is not to be tried again.
            blocked = true;
            if (count == Channel.BAD_MEMORY) {
                stream.onBadTransmitMemory();
            } else {
                broken = broken == null ? channel.failure() : broken;
                // Not lost yet: a peer that terminates and closes resets what still comes, and what it said is there to be read.
                loop.execute(lastRead);
            }
            return false;
        }
        if (count > 0) {
            stream.onSent(count);
        }
        return count == all || block(before);
    }

    /**
     * The channel took less than all, and says when it takes more.
     *
     * @param before how often it had said so before that
     * @return whether it has said so since: then it is tried again at once
     */
    private boolean block(int before) {
        blocked = true;
        // Volatile both: the leader counts, then clears the flag; so we see the count, or it clears what we have set.
        if (writables == before) {
            return false;
        }
        blocked = false;
        return true;
    }

    /** Ends the connection in good order. */
    public void disconnect() {
        stream.disconnect();
        loop.call(advanceClose);
    }

    /** Once the stream is past RTS: flushes, says the last word, and ends the channel. By the leader. */
    private void advanceClose() {
        StreamState state = stream.state();
        if (gone || state == StreamState.RTS || state == StreamState.IDLE) {
            return;
        }
        announceEnd();
        stream.flushReceives();
        kick();
        state = stream.state();
        boolean saidAll = state == StreamState.CLOSING && stream.isDrained() || state == StreamState.ERROR;
        if (saidAll && !shut) {
            shut = true;
            shutOutput = true;
            channel.shutdownOutput();
            onReady(Multiplexer.READABLE);
        }
        if (shut && endOfStream || broken != null) {
            finish();
        } else if (!lingering) {
            lingering = true;
            loop.schedule(LINGER_NANOS, this::finish);
        }
    }

    /** Before anything is flushed: who finds a flushed request also finds the connection ended, and why. */
    private void announceEnd() {
        if (ANNOUNCED.compareAndSet(this, false, true)) {
            listener.onDisconnected(failure());
        }
    }

    void finish() {
        if (!gone) {
            gone = true;
            loop.remove(this);
            shutOutput = true;
            channel.close();
            stream.onFinished();
            stream.flushReceives();
            kick();
        }
    }

    /** A defect showed while receiving: this connection cannot go on, the others of the loop do. */
    void giveUp() {
        endOfStream = true;
        readable = false;
        stream.onLost();
        loop.execute(this::finishGivenUp);
    }

    private void finishGivenUp() {
        advanceClose();
        finish();
    }

    /** Flushes receives that were posted after the end. */
    public void flushLate() {
        loop.execute(lateFlush);
    }

    private void flushReceivesLate() {
        if (stream.state() != StreamState.RTS) {
            stream.flushReceives();
        }
    }

    private VerbsException failure() {
        int code = stream.errorCode();
        if (code == TerminateCode.NONE) {
            return null;
        }
        String peer = "connection to " + channel.remoteAddress();
        if (stream.isErrorFromPeer()) {
            return new PeerException(peer + ": the peer terminated it: " + TerminateCode.describe(code));
        }
        if (code == TerminateCode.MPA_CLOSED) {
            return broken != null ? broken : new PeerException(peer + ": the peer closed it in the middle of a message");
        }
        return new PeerException(peer + ": terminated by this side: " + TerminateCode.describe(code));
    }
}

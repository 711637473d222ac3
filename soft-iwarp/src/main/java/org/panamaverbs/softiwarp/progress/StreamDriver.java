package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.util.function.IntUnaryOperator;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.sight.Recorder;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.slf4j.LoggerFactory;

/**
 * Drives a stream over a channel: moves bytes between the two, and closes the channel when the stream ends.
 *
 * <p>The loop's leader receives, and takes the steps of the {@link CloseSequence}. The thread that has the {@link Ownership} transmits:
 * {@link #kick} takes the ownership if it is free, so that a posting thread sends at once; if it is not free, the owner polls again before
 * it releases. Neither waits.
 *
 * <p>Which thread writes which field:
 * <pre>
 * leader   target, targeted, readable, queued, transmitDue, endOfStream, lost, timer, closed, flushed, writables, gaveUp
 * owner    transmission, nextFit
 * both     blocked (the owner sets it, both clear it), broken (the first to notice)
 * any      announced, by a compare-and-set
 * </pre>
 */
public final class StreamDriver implements Driver {
    /** One limit for all connections: if memory runs out, all of them may fail. */
    private static final Complaints COMPLAINTS = new Complaints(LoggerFactory.getLogger(StreamDriver.class));
    private static final VarHandle ANNOUNCED = Fields.of(MethodHandles.lookup(), "announced", boolean.class);
    private static final int VECTOR_PARTS = 32;
    /** After this many bytes, the driver asks the channel for the size of its segments again; it changes with the path (RFC 5044, 4.5). */
    private static final long SAME_SEGMENTS = 1 << 20;

    /** Is told when the connection ends. */
    public interface Listener {
        /**
         * The stream is over. Called once, on any thread, before any request or receive is flushed; must not block.
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
    private volatile boolean closed;
    private volatile boolean flushed;

    private final Ownership ownership = new Ownership();
    /** Whether the channel takes no more bytes until it reports that it is writable. */
    private volatile boolean blocked;
    /** Whether the channel may still be reading the last vector. For the owner. */
    private boolean unfinished;
    /** How many times the channel has reported that it is writable. */
    private volatile int writables;
    /** Why the channel broke; written before the stream is told. */
    private volatile VerbsException broken;
    /** The last stage of transmission that the owner has reported to the leader. */
    private Stream.Transmission transmission = Stream.Transmission.OPEN;
    /** The longest DDP segment for a size of TCP segments; {@code null} if the FPDUs do not follow that size. */
    private IntUnaryOperator mulpdu;
    /** Once this many bytes are written, the driver fits the FPDUs to the segments again. */
    private long nextFit = SAME_SEGMENTS;
    /** Whether the drain after a disconnect was given up. */
    private volatile boolean gaveUp;

    /** Whether the listener was told of the end. */
    @SuppressWarnings("unused") // by the handle
    private volatile boolean announced;

    /** Makes a driver; no bytes move before {@link #start}. */
    public StreamDriver(Loop loop, Channel channel, Stream stream, Listener listener) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.listener = listener;
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
        mulpdu = longest;
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

    /** Whether the channel takes no more bytes until it reports that it is writable. */
    boolean isBlocked() {
        return blocked;
    }

    // Receiving, by the leader.

    /** Receives what is there without an event; {@code true} if there may be more. */
    boolean readDirectly() {
        if (endOfStream || closed) {
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
        recorder.onTurn(channel.remoteAddress(), loop.now() - begin);
        return again;
    }

    private boolean takeTurn() {
        try {
            if (transmitDue) {
                transmitDue = false;
                kick();
            }
            receive();
        } catch (RuntimeException | Error e) {
            COMPLAINTS.error("receiving failed; closing the connection to {}", channel.remoteAddress(), e);
            onDefect("received", e);
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
            readable = mayHaveMore(count);
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
            readable = mayHaveMore(count);
        } else {
            onNothing(count);
        }
        return count;
    }

    /** If the channel can no longer be written, there may be no further event: then this side reads on until no bytes come. */
    private boolean mayHaveMore(long count) {
        return count == target.bytes() || broken != null;
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

    /** Keeps the reason for the end, if there is none yet. */
    private void onDefect(String doing, Throwable defect) {
        if (broken == null) {
            broken = new SystemException("connection to " + channel.remoteAddress() + ": soft-iwarp itself failed while it " + doing + ": "
                    + defect + "; the log has more. Unless memory ran out, please report it", defect);
        }
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
                // A mapped file was truncated, and the JVM reports it late.
                stream.onBadTransmitMemory();
                continue;
            } catch (RuntimeException | Error e) {
                abandon(e);
            }
            if (budget <= 0 || writes <= 0) {
                // Other connections get their turn; the loop continues with this one later.
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

    /** A bug: the connection ends, and its requests are flushed nevertheless. */
    private void abandon(Throwable defect) {
        COMPLAINTS.error("transmitting failed; closing the connection to {}", channel.remoteAddress(), defect);
        blocked = true;
        onDefect("transmitted", defect);
        stream.onLost();
        announceEnd();
        channel.recall();
        stream.abandon();
        loop.execute(this::giveUp);
    }

    /** Transmits until nothing is left, the channel is blocked or the budget is used up; returns the number of write calls. */
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
            if (mulpdu != null && stream.counters().bytesWritten() >= nextFit) {
                nextFit = stream.counters().bytesWritten() + SAME_SEGMENTS;
                stream.mulpdu(mulpdu.applyAsInt(channel.segmentSize()));
            }
            takeStock();
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
            if (stream.sentTerminate() != TerminateCode.NONE) {
                listener.onTerminateSent(stream.sentTerminate());
            }
            loop.execute(advanceClose);
        }
        return calls;
    }

    /**
     * Counts the bytes of the last vector that the channel has taken. The program may invalidate memory as soon as the peer has all of it:
     * then that memory must no longer be in the vector.
     */
    private void takeStock() {
        if (unfinished) {
            unfinished = false;
            long taken = channel.recall();
            if (taken > 0) {
                stream.onSent(taken);
            }
        }
    }

    private void cut() {
        announceEnd();
        long taken = channel.recall();
        if (taken > 0) {
            stream.onSent(taken);
        }
        stream.cut();
        // A channel that was still taking the old vector does not report when it can take a new one.
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
            // Not lost yet: a peer that sends a Terminate and closes resets the connection, but its Terminate can still be read.
            loop.execute(() -> onReady(Multiplexer.READABLE));
        } else {
            if (count > 0) {
                stream.onSent(count);
            }
            if (count < all) {
                unfinished = true;
                block(before);
            }
        }
    }

    /**
     * The channel took fewer bytes than it was given; it reports when it is writable again.
     *
     * @param before the value of {@link #writables} before the write
     */
    private void block(int before) {
        blocked = true;
        // Both are volatile. The leader counts and then clears the flag: so either we see the count, or the leader clears our flag.
        if (writables != before) {
            blocked = false;
        }
    }

    // The end.

    /** Ends the connection in good order, once everything posted is sent and done. */
    public void disconnect() {
        stream.disconnect();
        loop.execute(advanceClose);
        kick();
    }

    /** Ends the connection at once. Returns when all requests and receives are flushed and their memory is no longer in use. */
    public void close() {
        stream.close();
        while (!flushed) {
            kick();
            loop.call(advanceClose);
        }
        // Flushes requests and receives that were posted meanwhile.
        kick();
        loop.call(this::flushReceivesLate);
    }

    /** Takes the next steps of the {@link CloseSequence}. Only the leader calls it. */
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
        onClosed.run();
        stream.onFinished();
        // The owner gives the buffers back to the pool.
        kick();
    }

    @Override
    public void closeNow() {
        stream.close();
        lost = true;
        advanceClose();
        if (!closed) {
            // Another thread transmits: it cuts before it releases.
            loop.execute(this::closeNow);
        }
    }

    /** Called before anything is flushed: a thread that sees a flushed request also sees that the connection has ended, and why. */
    private void announceEnd() {
        if (ANNOUNCED.compareAndSet(this, false, true)) {
            listener.onDisconnected(failure());
        }
    }

    /** Whether the drain after a disconnect was given up, because the peer took no data or did not answer a Read. */
    public boolean hasGivenUp() {
        return gaveUp;
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
                    peer + ": nothing was sent for 2 s after the disconnect: the peer took no data, or did not answer a Read in full; "
                            + "outstanding requests are flushed");
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

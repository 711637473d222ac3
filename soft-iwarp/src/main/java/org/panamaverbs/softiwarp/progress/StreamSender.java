package org.panamaverbs.softiwarp.progress;

import java.util.function.IntUnaryOperator;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.qp.OutboundStream;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * Moves the bytes of a stream to its channel, for {@link StreamDriver}.
 *
 * <p>The thread that has the {@link Ownership} transmits: {@link #kick} takes the ownership if it is free, so that a posting thread sends at
 * once; if it is not free, the owner polls again before it releases. No thread waits. The owner alone writes the fields.
 */
// Tested by StreamDriverTest, SimulationTest.
final class StreamSender {
    /** After this many bytes, the sender asks the channel for the size of its segments again; it changes with the path (RFC 5044, 4.5). */
    private static final long SAME_SEGMENTS = 1 << 20;

    /** The driver, as its sender calls it: never on the hot path. */
    interface Host {
        /** The budget is used up: the leader shall kick again at this connection's next turn. */
        void transmitLater();

        /** The stream is over, and nothing is flushed yet. */
        void onEnded();

        /** The stream has come to its next stage of transmission ({@link OutboundStream#stage()}). */
        void onStage();

        /** The channel broke. The peer's last bytes may still be there to be read. */
        void onWriteFailed();

        /** The stream is closed, and nothing of it is sent any more. Called once. */
        void onSilent();

        /** A step of the sender failed: the host keeps the reason and calls {@link #abandon}. */
        void onFailure(Throwable failure);
    }

    private final Loop loop;
    private final Channel channel;
    private final Stream stream;
    private final OutboundStream outbound;
    private final Host host;
    private final Ownership ownership = new Ownership();

    private final WriteGate gate = new WriteGate();
    /** Why the channel can no longer be written; {@code null} while it can. */
    private volatile VerbsException failure;
    private boolean silent;
    /** The last stage of transmission that the owner has reported to the driver. */
    private OutboundStream.Stage stage = OutboundStream.Stage.OPEN;
    /** The longest DDP segment for a size of TCP segments; {@code null} if the FPDUs do not follow that size. */
    private IntUnaryOperator mulpdu;
    /** Once this many bytes are written, the sender fits the FPDUs to the segments again. */
    private long nextFit = SAME_SEGMENTS;

    StreamSender(Loop loop, Channel channel, Stream stream, Host host) {
        this.loop = loop;
        this.channel = channel;
        this.stream = stream;
        this.outbound = stream.outbound();
        this.host = host;
    }

    /** Makes the FPDUs follow the size of the channel's segments. Called before the first kick. */
    void followSegments(IntUnaryOperator longest) {
        mulpdu = longest;
    }

    /** The channel has reported that it is writable. The leader calls this. */
    void onWritable() {
        gate.open();
        kick();
    }

    /** Whether the channel takes no more bytes until it reports that it is writable. */
    boolean isBlocked() {
        return gate.isShut();
    }

    /** Why the channel can no longer be written; {@code null} while it can. Any thread may call it. */
    VerbsException failure() {
        return failure;
    }

    /** Sends what can be sent. */
    void kick() {
        if (ownership.kick()) {
            transmitLoop();
        }
    }

    /** Transmits, and releases the ownership. All failures of our own steps of sending end here. */
    private void transmitLoop() {
        long budget = loop.isLeader() ? TurnBudget.TRANSMIT_BYTES : TurnBudget.POSTER_BYTES;
        int writes = TurnBudget.TRANSMIT_WRITES;
        while (true) {
            try {
                long before = stream.counters().bytesWritten();
                int calls = transmit(budget, writes);
                budget -= stream.counters().bytesWritten() - before;
                writes -= calls;
            } catch (RuntimeException | Error e) {
                host.onFailure(e);
            }
            if (budget <= 0 || writes <= 0) {
                // Other connections get their turn; the loop continues with this one later.
                ownership.forceRelease();
                host.transmitLater();
                return;
            }
            if (ownership.release()) {
                return;
            }
            ownership.begin();
        }
    }

    /** Ends transmission and drops the described segments, which cannot be trusted. Called by the owner. */
    void abandon() {
        host.onEnded();
        outbound.abandon();
    }

    /** Transmits until nothing is left, the channel is blocked or the budget is used up; returns the number of write calls. */
    private int transmit(long budget, int writes) {
        try {
            return transmitAll(budget, writes);
        } catch (InternalError e) {
            // A mapped file was cut short, and the JVM reports it late.
            outbound.onBadMemory();
            return transmitAll(budget, writes);
        }
    }

    /** Long on purpose, like the turn of {@link StreamDriver}: HotSpot compiles it once, and not again for each method that kicks. */
    private int transmitAll(long budget, int writes) {
        long limit = stream.counters().bytesWritten() + budget;
        int calls = 0;
        while (true) {
            if (outbound.isCutDue()) {
                cut();
            } else {
                outbound.flushLate();
            }
            if (stream.state() == StreamState.CLOSED) {
                onClosed();
                break;
            }
            if (gate.isShut() || failure != null || calls == writes || stream.counters().bytesWritten() >= limit) {
                break;
            }
            if (mulpdu != null && stream.counters().bytesWritten() >= nextFit) {
                nextFit = stream.counters().bytesWritten() + SAME_SEGMENTS;
                outbound.mulpdu(mulpdu.applyAsInt(channel.segmentSize()));
            }
            IoVector vector = outbound.poll();
            if (outbound.isCutDue()) {
                continue;
            }
            if (vector.size() == 0) {
                break;
            }
            calls++;
            if (!vector.enter()) {
                outbound.onBadMemory();
                continue;
            }
            long all = vector.bytes();
            int before = gate.openings();
            long count;
            try {
                count = channel.write(vector);
            } finally {
                vector.exit();
            }
            if (count < 0) {
                onFailedWrite(count);
                continue;
            }
            if (count > 0) {
                outbound.onSent(count);
            }
            if (count < all) {
                gate.shut(before);
            }
        }
        if (outbound.stage() != stage) {
            stage = outbound.stage();
            host.onStage();
        }
        return calls;
    }

    private void onFailedWrite(long result) {
        if (result == Channel.BAD_MEMORY) {
            outbound.onBadMemory();
        } else {
            failure = channel.failure();
            host.onWriteFailed();
        }
    }

    private void onClosed() {
        outbound.abandon();
        if (!silent) {
            silent = true;
            host.onSilent();
        }
    }

    private void cut() {
        host.onEnded();
        outbound.cut();
    }
}

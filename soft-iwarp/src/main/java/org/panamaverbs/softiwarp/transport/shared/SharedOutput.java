package org.panamaverbs.softiwarp.transport.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** The outbound part of a channel. One thread at a time writes; the selecting thread finds room for a write that waits. */
final class SharedOutput {
    private static final VarHandle PHASE = Fields.of(MethodHandles.lookup(), "phase", Phase.class);

    /** The writer's and the selecting thread's turns. */
    private enum Phase {
        /** The writer goes on. */
        WRITES,
        /** A write came up short since the last edge. */
        WAITS,
        /** This side has ended its direction. */
        ENDED
    }

    private final IntConsumer report;
    private volatile Phase phase = Phase.WRITES;
    /** Set once, before the channel is open: no thread uses it earlier. */
    private RingWriter ring;

    /** Makes one without a ring. */
    SharedOutput(IntConsumer report) {
        this.report = report;
    }

    /**
     * Writes as much as there is room for.
     *
     * @return the number of bytes, {@link Ring#NONSENSE}, or a negative value of {@link Channel}
     */
    long write(IoVector from) {
        RingWriter writing = ring;
        if (phase == Phase.ENDED || !writing.acquire()) {
            return Channel.BROKEN;
        }
        try {
            long count = writing.write(from);
            if (count >= 0 && count < from.bytes()) {
                awaitRoom(writing);
            }
            return count;
        } finally {
            writing.release();
        }
    }

    /** A write came up short. From now on the selecting thread looks for room, and the peer wakes it. */
    private void awaitRoom(RingWriter writing) {
        PHASE.compareAndSet(this, Phase.WRITES, Phase.WAITS);
        if (!writing.awaitRoom() || writing.isFaulty()) {
            report.accept(Multiplexer.WRITABLE);
        }
    }

    /** The events that have come since the last call. Called by the selecting thread. */
    int takeEvents() {
        RingWriter writing = ring;
        if (phase != Phase.WAITS || !writing.acquire()) {
            return 0;
        }
        int events = 0;
        if (writing.hasRoom() && PHASE.compareAndSet(this, Phase.WAITS, Phase.WRITES)) {
            writing.awaitNoRoom();
            events = Multiplexer.WRITABLE;
        }
        writing.release();
        return events;
    }

    /**
     * Has the peer wake this side for room, if a write waits for it. The peer clears a mark that it saw a moment before; if it was
     * interrupted between the two, it clears that of a later write, and its wake-up comes too early for that one. So the selecting thread
     * asks once more.
     *
     * @return {@code false} if there is room already
     */
    boolean sleep() {
        RingWriter writing = ring;
        if (phase != Phase.WAITS || !writing.acquire()) {
            return true;
        }
        try {
            return writing.awaitRoom();
        } finally {
            writing.release();
        }
    }

    boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    // The caller of these holds the channel's lock.

    /** Ends this direction. The peer learns of it by {@link #showEnd}, or once the ring is there. */
    void end() {
        phase = Phase.ENDED;
    }

    /** The ring is there. */
    void open(RingWriter greeted) {
        ring = greeted;
        if (phase == Phase.ENDED) {
            showEnd();
        }
    }

    // For these the channel still has its rings, too.

    void showEnd() {
        ring.end();
    }

    /** Tells the peer that this side leaves without having read all. */
    void leaveUnread() {
        ring.leaveUnread();
    }

    void close() {
        ring.close();
    }
}

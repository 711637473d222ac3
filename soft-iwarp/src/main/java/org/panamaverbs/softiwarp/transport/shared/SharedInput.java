package org.panamaverbs.softiwarp.transport.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** The inbound part of a channel. One thread at a time reads; the selecting thread finds edges. */
final class SharedInput {
    private static final VarHandle PHASE = Fields.of(MethodHandles.lookup(), "phase", Phase.class);

    /** The reader's and the selecting thread's turns. */
    private enum Phase {
        /** The reader goes on after an edge. It alone leaves this phase, but for the end. */
        READS,
        /** A read came up short since the last edge. The selecting thread alone leaves this phase. */
        WAITS,
        /** The selecting thread has reported the end of the peer's direction, which is the last edge that it finds. */
        ENDED
    }

    private final IntConsumer report;
    private volatile Phase phase = Phase.WAITS;
    /** Set once, before the channel is open: no thread uses it earlier. */
    private RingReader ring;

    /** Makes one without a ring. */
    SharedInput(IntConsumer report) {
        this.report = report;
    }

    /** The ring is there. */
    void open(RingReader greeted) {
        ring = greeted;
    }

    /**
     * Reads as much as there is, and there is room for.
     *
     * @param isLast whether no byte enters the ring any more
     * @return the number of bytes, {@link Ring#NONSENSE}, or a negative value of {@link Channel}
     */
    long read(IoVector into, boolean isLast) {
        RingReader reading = ring;
        if (!reading.acquire()) {
            return Channel.BROKEN;
        }
        try {
            // Before the positions: no byte enters the ring after its end was seen.
            boolean last = isLast || phase == Phase.ENDED || reading.isEnded();
            long count = reading.read(into);
            if (count == 0 && last) {
                return Channel.END_OF_STREAM;
            }
            if (count >= 0 && count < into.bytes()) {
                awaitBytes(reading, last || reading.isFaulty());
            }
            return count;
        } finally {
            reading.release();
        }
    }

    /**
     * A read came up short.
     *
     * @param again whether another read would return without further bytes: at the end, and if memory cannot be used
     */
    private void awaitBytes(RingReader reading, boolean again) {
        boolean waits = phase == Phase.READS && PHASE.compareAndSet(this, Phase.READS, Phase.WAITS);
        // The selecting thread has found no edge in bytes, or an end, that came before this side waited.
        if (again || waits && (reading.hasBytes() || reading.isEnded())) {
            report.accept(Multiplexer.READABLE);
        }
    }

    /** The events that have come since the last call. Called by the selecting thread. */
    int takeEvents() {
        RingReader reading = ring;
        if (!reading.acquire()) {
            return 0;
        }
        int events = 0;
        if (hasNews(reading)) {
            phase = reading.isEnded() ? Phase.ENDED : Phase.READS;
            events = Multiplexer.READABLE;
        }
        reading.release();
        return events;
    }

    /** Whether a read that waits has bytes, or the peer has ended its direction and no edge has reported it. */
    private boolean hasNews(RingReader reading) {
        Phase current = phase;
        return current == Phase.WAITS && reading.hasBytes() || current != Phase.ENDED && reading.isEnded();
    }

    /**
     * Has the peer wake this side for further bytes, or the end. Called by the selecting thread.
     *
     * @return {@code false} if there is an event already
     */
    boolean sleep() {
        RingReader reading = ring;
        if (!reading.acquire()) {
            return true;
        }
        try {
            reading.sleep();
            return !hasNews(reading);
        } finally {
            reading.release();
        }
    }

    // The caller of these holds the channel's lock, and the channel still has its rings.

    /** Whether the peer has left without having read all. */
    boolean isLeftUnread() {
        return ring.isLeftUnread();
    }

    boolean hasBytes() {
        return ring.hasBytes();
    }

    void close() {
        ring.close();
    }
}

package org.panamaverbs.softiwarp.qp;

/**
 * The sequence in which every connection ends. It does no I/O: the caller passes the time in and carries out the actions. Only the
 * receiving thread uses it.
 *
 * <pre>
 * OPEN       until the stream leaves RTS -----------------------------&gt; DRAINING
 * DRAINING   while CLOSING: until all is done, or the time is over ----&gt; CUTTING
 * CUTTING    until transmission is cut and its requests are flushed ----&gt; FLUSH, ENDING
 * ENDING     until the FPDU under way and the Terminate are sent -------&gt; SHUT_OUTPUT, LINGERING
 * LINGERING  until the peer has ended its direction --------------------&gt; CLOSE, CLOSED
 * </pre>
 *
 * Each step that waits for the peer has a time limit. If the connection is broken, ENDING and LINGERING go to CLOSED at once.
 */
public final class CloseSequence {
    /** The longest that a step waits for the peer: 2 s. DRAINING starts the time again whenever bytes move for requests. */
    public static final long PATIENCE_NANOS = 2_000_000_000L;
    /**
     * The longest that DRAINING waits for a peer that sends, but nothing for our requests: 30 s. The peer may have much to send before its
     * answer to a Read, and must not keep the connection open for ever.
     */
    public static final long HEARING_NANOS = 30_000_000_000L;

    /** The action that the caller has to take. */
    public enum Action {
        /** Nothing, until the stream or the connection changes or {@link #timeout} has passed. */
        WAIT,
        /** All requests posted before the disconnect are done: {@link Stream#endDrain}. */
        END_DRAIN,
        /** Requests are outstanding, and nothing was sent in time: {@link Stream#giveUpDrain}. */
        GIVE_UP,
        /** {@link Stream#flushReceiving}. */
        FLUSH,
        /** End our direction of the connection. */
        SHUT_OUTPUT,
        /** Close the connection. */
        CLOSE
    }

    private enum Step {
        OPEN, DRAINING, CUTTING, ENDING, LINGERING, CLOSED
    }

    private final Stream stream;
    private Step step = Step.OPEN;
    private long deadline;
    private long progress;
    /** When bytes moved for our requests the last time. */
    private long progressed;
    private long heard;

    /** Makes the sequence for a stream. */
    public CloseSequence(Stream stream) {
        this.stream = stream;
    }

    /**
     * Returns the next action. Unless it is {@link Action#WAIT}, the caller carries it out and polls again.
     *
     * @param now         the time in nanoseconds, from any origin
     * @param endOfStream whether nothing more can be received
     * @param broken      whether nothing more can be sent
     */
    public Action poll(long now, boolean endOfStream, boolean broken) {
        if (step == Step.OPEN && !stream.state().isOver() && stream.state() != StreamState.CLOSING) {
            return Action.WAIT;
        }
        return switch (step) {
            case OPEN -> {
                begin(Step.DRAINING, now);
                progress = stream.drained();
                progressed = now;
                heard = stream.heard();
                yield poll(now, endOfStream, broken);
            }
            case DRAINING -> drain(now, endOfStream, broken);
            case CUTTING -> {
                Stream.Transmission transmission = stream.transmission();
                if (transmission != Stream.Transmission.CUT && transmission != Stream.Transmission.SILENT) {
                    yield Action.WAIT;
                }
                begin(Step.ENDING, now);
                yield Action.FLUSH;
            }
            case ENDING -> {
                if (broken || isLate(now)) {
                    step = Step.CLOSED;
                    yield Action.CLOSE;
                }
                if (stream.transmission() != Stream.Transmission.SILENT) {
                    yield Action.WAIT;
                }
                begin(Step.LINGERING, now);
                yield Action.SHUT_OUTPUT;
            }
            case LINGERING -> {
                if (!endOfStream && !broken && !isLate(now)) {
                    yield Action.WAIT;
                }
                step = Step.CLOSED;
                yield Action.CLOSE;
            }
            case CLOSED -> Action.WAIT;
        };
    }

    private Action drain(long now, boolean endOfStream, boolean broken) {
        if (stream.state().isOver()) {
            begin(Step.CUTTING, now);
            return poll(now, endOfStream, broken);
        }
        if (stream.transmission() == Stream.Transmission.DRAINED) {
            return Action.END_DRAIN;
        }
        if (stream.drained() != progress) {
            progress = stream.drained();
            progressed = now;
            begin(Step.DRAINING, now);
        }
        if (stream.heard() != heard) {
            heard = stream.heard();
            if (!stream.isRequestsDone()) {
                deadline = Math.min(now + PATIENCE_NANOS, progressed + HEARING_NANOS);
            }
        }
        if (!isLate(now)) {
            return Action.WAIT;
        }
        // Answers to the peer's Reads do not keep the connection open.
        return stream.isRequestsDone() ? Action.END_DRAIN : Action.GIVE_UP;
    }

    private void begin(Step next, long now) {
        step = next;
        deadline = now + PATIENCE_NANOS;
    }

    private boolean isLate(long now) {
        return now - deadline >= 0;
    }

    /**
     * The longest time that may pass until the next {@link #poll}.
     *
     * @param now the time in nanoseconds, from the origin of {@link #poll}
     * @return nanoseconds, 0 or more; -1 for no limit
     */
    public long timeout(long now) {
        return switch (step) {
            case DRAINING, ENDING, LINGERING -> Math.max(0, deadline - now);
            case OPEN, CUTTING, CLOSED -> -1;
        };
    }

    /** Whether the receives are flushed, so that a receive posted from now on must be flushed at once. */
    public boolean isFlushed() {
        return step == Step.ENDING || step == Step.LINGERING || step == Step.CLOSED;
    }

    /** Whether the connection is closed. */
    public boolean isClosed() {
        return step == Step.CLOSED;
    }
}

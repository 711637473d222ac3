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
        /** {@link InboundStream#flush}. */
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
    private final OutboundStream outbound;
    private Step step = Step.OPEN;
    private long deadline;
    private long progress;
    /** When bytes moved for our requests the last time. */
    private long progressed;
    private long heard;

    /** Makes the sequence for a stream. */
    public CloseSequence(Stream stream) {
        this.stream = stream;
        this.outbound = stream.outbound();
    }

    /**
     * Returns the next action. Unless it is {@link Action#WAIT}, the caller carries it out and polls again.
     *
     * @param nanoTime    the time in nanoseconds, from any origin
     * @param endOfStream whether nothing more can be received
     * @param broken      whether nothing more can be sent
     */
    public Action poll(long nanoTime, boolean endOfStream, boolean broken) {
        if (step == Step.OPEN && !stream.state().isOver() && stream.state() != StreamState.CLOSING) {
            return Action.WAIT;
        }
        return switch (step) {
            case OPEN -> {
                begin(Step.DRAINING, nanoTime);
                progress = stream.progress();
                progressed = nanoTime;
                heard = stream.counters().bytesReceived();
                yield poll(nanoTime, endOfStream, broken);
            }
            case DRAINING -> drain(nanoTime, endOfStream, broken);
            case CUTTING -> {
                OutboundStream.Stage stage = outbound.stage();
                if (stage != OutboundStream.Stage.CUT && stage != OutboundStream.Stage.SILENT) {
                    yield Action.WAIT;
                }
                if (!stream.inbound().isFlushed()) {
                    yield Action.FLUSH;
                }
                begin(Step.ENDING, nanoTime);
                yield poll(nanoTime, endOfStream, broken);
            }
            case ENDING -> {
                if (broken || isLate(nanoTime)) {
                    step = Step.CLOSED;
                    yield Action.CLOSE;
                }
                if (outbound.stage() != OutboundStream.Stage.SILENT) {
                    yield Action.WAIT;
                }
                begin(Step.LINGERING, nanoTime);
                yield Action.SHUT_OUTPUT;
            }
            case LINGERING -> {
                if (!endOfStream && !broken && !isLate(nanoTime)) {
                    yield Action.WAIT;
                }
                step = Step.CLOSED;
                yield Action.CLOSE;
            }
            case CLOSED -> Action.WAIT;
        };
    }

    private Action drain(long nanoTime, boolean endOfStream, boolean broken) {
        if (stream.state().isOver()) {
            begin(Step.CUTTING, nanoTime);
            return poll(nanoTime, endOfStream, broken);
        }
        if (outbound.stage() == OutboundStream.Stage.DRAINED) {
            return Action.END_DRAIN;
        }
        // Answers to the peer's Reads do not keep the connection open.
        boolean done = outbound.isDone();
        if (!done && stream.progress() != progress) {
            progress = stream.progress();
            progressed = nanoTime;
            begin(Step.DRAINING, nanoTime);
        }
        if (!done && stream.counters().bytesReceived() != heard) {
            heard = stream.counters().bytesReceived();
            deadline = Math.min(nanoTime + PATIENCE_NANOS, progressed + HEARING_NANOS);
        }
        if (!isLate(nanoTime)) {
            return Action.WAIT;
        }
        return done ? Action.END_DRAIN : Action.GIVE_UP;
    }

    private void begin(Step next, long nanoTime) {
        step = next;
        deadline = nanoTime + PATIENCE_NANOS;
    }

    private boolean isLate(long nanoTime) {
        return nanoTime - deadline >= 0;
    }

    /**
     * The longest time that may pass until the next {@link #poll}.
     *
     * @param nanoTime the time in nanoseconds, from the origin of {@link #poll}
     * @return nanoseconds, 0 or more; -1 for no limit
     */
    public long timeout(long nanoTime) {
        return switch (step) {
            case DRAINING, ENDING, LINGERING -> Math.max(0, deadline - nanoTime);
            case OPEN, CUTTING, CLOSED -> -1;
        };
    }

    /** Whether the connection is closed. */
    public boolean isClosed() {
        return step == Step.CLOSED;
    }
}

package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.ddp.OutboundMessage;

/**
 * Gives messages to the transmitting half, one at a time: {@link #next} fills in a message, {@link #onDescribed} follows when its last byte
 * is described, or {@link #onBadMemory} if its memory cannot be used. Only the transmitting thread uses it.
 */
public interface MessageSource {
    /**
     * Fills in the next message.
     *
     * @param fixed whether a change of memory that peers read can no longer show in the answers to Reads before it
     * @return {@code false} if there is no message now
     */
    boolean next(OutboundMessage message, boolean fixed);

    /** Whether the message carries a program's memory: a Send, a Write or the answer to a Read. */
    default boolean carriesData() {
        return false;
    }

    /**
     * The message is described to its last byte.
     *
     * @param end the stream offset behind that byte
     */
    void onDescribed(long end);

    /** The message's memory cannot be used: the source has no further message, and the stream ends with {@link #error}. */
    default void onBadMemory() {
        throw new AssertionError("a message of " + this + " lies in memory of this side");
    }

    /** The error of the stream's Terminate after {@link #onBadMemory}: one of {@code TerminateCode}. */
    default int error() {
        throw new AssertionError("a message of " + this + " lies in memory of this side");
    }

    /**
     * Prepares that Terminate.
     *
     * @param done bytes of the message that are described
     */
    default void prepare(Terminator terminator, long done) {
        terminator.prepare(error());
    }
}

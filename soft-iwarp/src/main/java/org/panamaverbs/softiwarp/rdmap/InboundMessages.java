package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Handles the inbound messages of some opcodes, as the table of {@link Receiver} says. Methods that can fail return one of
 * {@link TerminateCode}. Only the receiving thread uses it.
 */
interface InboundMessages {
    /** A tagged segment has come, as {@link Receiver#onTagged}; its version and its opcode are right. */
    default int onTagged(boolean last, int stag, long offset, int length, SgeCursor target) {
        throw new AssertionError("the opcode is not tagged");
    }

    /** A tagged segment is in place, and so is everything before it. */
    default int deliverTagged(boolean last, int length) {
        throw new AssertionError("the opcode is not tagged");
    }

    /** The memory of the tagged segment under way can no longer be used. */
    default int onBadTaggedMemory() {
        throw new AssertionError("the opcode is not tagged");
    }

    /** The first segment of an untagged message has come; its version and its queue are right. Makes the target wrap the buffer. */
    default int onUntagged(int opcode, SgeCursor target) {
        throw new AssertionError("the opcode is not untagged");
    }

    /** An untagged message is whole, and everything before it is in place. */
    default int deliverUntagged(int opcode, int word, long length) {
        throw new AssertionError("the opcode is not untagged");
    }
}

package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The receiving half of a DDP stream over an in-order layer: for each segment {@link #onHeader}, then the payload goes to
 * {@link #target()}, then {@link #onPlaced()}. A tagged and an untagged message may interleave; two of one kind, or of one queue, not.
 */
public final class Placement {
    private final UpperLayer upper;
    private final SgeCursor tagged = new SgeCursor(1);
    private final SgeCursor[] untagged;
    /** Per queue: the message's number that comes next, or is under way. */
    private final int[] sequences;
    /** Per queue: whether a message is under way. */
    private final boolean[] underWay;
    /** Per queue: the ULP byte of the message under way. */
    private final int[] ulps;

    private SgeCursor target;
    private int control;
    private int ulp;
    private int word;
    private int queue;
    private int length;

    /**
     * Makes a stream's start.
     *
     * @param upper    the layer above
     * @param queues   how many untagged queues there are
     * @param elements the most parts of a buffer
     */
    public Placement(UpperLayer upper, int queues, int elements) {
        this.upper = upper;
        untagged = new SgeCursor[queues];
        sequences = new int[queues];
        underWay = new boolean[queues];
        ulps = new int[queues];
        for (int i = 0; i < queues; i++) {
            untagged[i] = new SgeCursor(i == 0 ? elements : 1);
            sequences[i] = 1;
        }
    }

    /**
     * Checks a segment's header and finds the place of its payload.
     *
     * @param header        the memory that holds the header, whole
     * @param at            where it starts
     * @param payloadLength what follows it
     * @return the error, or none
     */
    public int onHeader(MemorySegment header, long at, int payloadLength) {
        control = Ddp.control(header, at);
        ulp = Ddp.ulp(header, at);
        length = payloadLength;
        return Ddp.isTagged(control) ? onTagged(header, at) : onUntagged(header, at);
    }

    private int onTagged(MemorySegment header, long at) {
        if (Ddp.version(control) != Ddp.VERSION) {
            return TerminateCode.TAGGED_VERSION;
        }
        target = tagged;
        tagged.clear();
        return upper.onTagged(ulp, Ddp.isLast(control), Ddp.stag(header, at), Ddp.taggedOffset(header, at), length, tagged);
    }

    private int onUntagged(MemorySegment header, long at) {
        if (Ddp.version(control) != Ddp.VERSION) {
            return TerminateCode.UNTAGGED_VERSION;
        }
        queue = Ddp.queueNumber(header, at);
        if (Integer.compareUnsigned(queue, untagged.length) >= 0) {
            return TerminateCode.UNTAGGED_QUEUE;
        }
        if (Ddp.messageSequence(header, at) != sequences[queue]) {
            return TerminateCode.UNTAGGED_MSN;
        }
        word = Ddp.ulpWord(header, at);
        target = untagged[queue];
        if (!underWay[queue]) {
            target.clear();
            int error = upper.onUntagged(queue, ulp, target);
            if (error != TerminateCode.NONE) {
                return error;
            }
            underWay[queue] = true;
            ulps[queue] = ulp;
        } else if (ulp != ulps[queue]) {
            return upper.onChanged(ulp);
        }
        // The layer below is in order, so a message's segments follow each other without a gap.
        if (Integer.toUnsignedLong(Ddp.messageOffset(header, at)) != target.position()) {
            return TerminateCode.UNTAGGED_OFFSET;
        }
        if (length > target.remaining()) {
            upper.onTooLong(queue);
            return TerminateCode.UNTAGGED_TOO_LONG;
        }
        return TerminateCode.NONE;
    }

    /** Where the payload of the segment under way goes. */
    public SgeCursor target() {
        return target;
    }

    /** Whether that is an untagged buffer of this queue. */
    public boolean isFor(int queueNumber) {
        return !Ddp.isTagged(control) && queue == queueNumber;
    }

    /** Whether an untagged message of this queue is under way. */
    public boolean isUnderWay(int queueNumber) {
        return underWay[queueNumber];
    }

    /**
     * The segment is in place and sound: delivers what became whole.
     *
     * @return the error, or none
     */
    public int onPlaced() {
        boolean last = Ddp.isLast(control);
        if (Ddp.isTagged(control)) {
            tagged.clear();
            return upper.deliverTagged(ulp, last, length);
        }
        if (!last) {
            return TerminateCode.NONE;
        }
        underWay[queue] = false;
        sequences[queue]++;
        return upper.deliverUntagged(queue, ulp, word, target.position());
    }
}

package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The receiving half of a DDP stream: decides where the payload of a segment goes, and delivers whole messages. For
 * each segment the layer below calls {@link #onHeader}, puts the payload into {@link #target()}, and calls {@link #onVerified()} when the
 * segment is in place and its checksum is right. Segments of messages of different queues, and of tagged messages, may interleave; a queue
 * takes one message at a time. Segments come in the order in which they were sent. A layer that receives them in another order may place the
 * payload of one that {@link #isPlacedAlone} ahead of its turn, by {@link #onHeader} and {@link #target}, and calls {@link #onPlaced}
 * when its turn comes.
 *
 * <p>{@link #isTrusted} says whether the payload may be placed before the checksum is verified. It may if the place does not depend on the
 * header. There are three such places: an untagged buffer whose message is under way or that belongs to this stream alone, the sink of a
 * Read, and the place directly behind a verified segment of the same tagged message.
 */
public final class DdpReceiver {
    private final UpperLayer upper;
    private final SgeCursor tagged = new SgeCursor();
    private final SgeCursor[] untagged;
    /** Per queue: the MSN of the message under way, or of the next one. */
    private final int[] sequences;
    /** Per queue: whether a message is under way. */
    private final boolean[] underWay;
    /** Per queue: the ULP byte of the message under way. */
    private final int[] ulps;

    // The segment under way.
    private SgeCursor target;
    private int control;
    private int ulp;
    private int word;
    private int queue;
    private int length;
    private int stag;
    /** The Tagged Offset, or the Message Offset. */
    private long offset;

    /** Whether the last verified segment for an address that the peer chose was not the last of its message, so that more follow. */
    private boolean continues;
    private int nextStag;
    private long nextOffset;

    /**
     * Makes the receiver of a new stream.
     *
     * @param upper  the layer above
     * @param queues the number of untagged queues
     */
    public DdpReceiver(UpperLayer upper, int queues) {
        this(upper, queues, 1);
    }

    /** Makes a receiver whose next message in each queue has this MSN. */
    DdpReceiver(UpperLayer upper, int queues, int sequence) {
        this.upper = upper;
        untagged = new SgeCursor[queues];
        sequences = new int[queues];
        underWay = new boolean[queues];
        ulps = new int[queues];
        for (int i = 0; i < queues; i++) {
            untagged[i] = new SgeCursor();
            sequences[i] = sequence;
        }
        target = tagged;
    }

    /**
     * Whether the payload of a segment may be placed before its checksum is verified. Changes no state.
     *
     * @param header memory that holds the whole header
     * @param at     the offset of the header
     * @return {@code false} if the place depends on the header
     */
    public boolean isTrusted(MemorySegment header, long at) {
        int bits = Ddp.control(header, at);
        if (Ddp.isTagged(bits)) {
            return upper.hasLocalPlace(Ddp.ulp(header, at))
                    || continues && Ddp.stag(header, at) == nextStag && Ddp.taggedOffset(header, at) == nextOffset;
        }
        int number = Ddp.queueNumber(header, at);
        return isQueue(number) && (underWay[number] || upper.ownsBuffers(number));
    }

    private boolean isQueue(int number) {
        return Integer.compareUnsigned(number, untagged.length) < 0;
    }

    /**
     * Checks a segment's header and finds the place of its payload.
     *
     * @param header        memory that holds the whole header
     * @param at            the offset of the header
     * @param payloadLength bytes of payload that follow the header
     * @return one of {@link TerminateCode}
     */
    public int onHeader(MemorySegment header, long at, int payloadLength) {
        control = Ddp.control(header, at);
        ulp = Ddp.ulp(header, at);
        length = payloadLength;
        return Ddp.isTagged(control) ? onTagged(header, at) : onUntagged(header, at);
    }

    /**
     * Places the short payload of a whole segment, if nothing about the segment asks for more. {@link #onHeader} takes all others, and finds
     * their errors.
     *
     * @param segment memory that holds the whole segment
     * @param at      the offset of its header
     * @param payloadLength bytes of payload that follow the header
     * @return {@code false} if nothing is placed and nothing has changed; else {@link #onVerified()} comes next
     */
    public boolean place(MemorySegment segment, long at, int payloadLength) {
        control = Ddp.control(segment, at);
        ulp = Ddp.ulp(segment, at);
        length = payloadLength;
        if (Ddp.version(control) != Ddp.VERSION) {
            return false;
        }
        if (Ddp.isTagged(control)) {
            stag = Ddp.stag(segment, at);
            offset = Ddp.taggedOffset(segment, at);
            return upper.placeTagged(ulp, stag, offset, segment, at + Ddp.TAGGED_SIZE, payloadLength);
        }
        queue = Ddp.queueNumber(segment, at);
        word = Ddp.ulpWord(segment, at);
        offset = 0;
        return Ddp.isLast(control) && isQueue(queue) && !underWay[queue] && Ddp.messageSequence(segment, at) == sequences[queue]
                && Ddp.messageOffset(segment, at) == 0 && upper.placeUntagged(queue, ulp, segment, at + Ddp.UNTAGGED_SIZE, payloadLength);
    }

    /** The segments that came whole are placed, or the next one is not short. Must follow {@link #place} before anything may wait. */
    public void endRun() {
        upper.endRun();
    }

    private int onTagged(MemorySegment header, long at) {
        target = tagged;
        tagged.clear();
        if (Ddp.version(control) != Ddp.VERSION) {
            return TerminateCode.TAGGED_VERSION;
        }
        stag = Ddp.stag(header, at);
        offset = Ddp.taggedOffset(header, at);
        return upper.onTagged(ulp, Ddp.isLast(control), stag, offset, length, tagged);
    }

    private int onUntagged(MemorySegment header, long at) {
        if (Ddp.version(control) != Ddp.VERSION) {
            return TerminateCode.UNTAGGED_VERSION;
        }
        queue = Ddp.queueNumber(header, at);
        if (!isQueue(queue)) {
            return TerminateCode.UNTAGGED_QUEUE;
        }
        if (Ddp.messageSequence(header, at) != sequences[queue]) {
            return TerminateCode.UNTAGGED_MSN;
        }
        word = Ddp.ulpWord(header, at);
        target = untagged[queue];
        if (!underWay[queue]) {
            target.clear();
            if (length > 0 || !Ddp.isLast(control) || !upper.needsNoBuffer(queue, ulp)) {
                int error = upper.onUntagged(queue, ulp, target);
                if (error != TerminateCode.NONE) {
                    return error;
                }
            }
            underWay[queue] = true;
            ulps[queue] = ulp;
        } else if (ulp != ulps[queue]) {
            return upper.onChanged(ulp);
        }
        // The layer below is ordered, and a sender SHOULD send segments in increasing order (RFC 5041, 5.3): any other order is refused.
        offset = Integer.toUnsignedLong(Ddp.messageOffset(header, at));
        if (offset != target.position()) {
            return TerminateCode.UNTAGGED_OFFSET;
        }
        return length > target.remaining() ? TerminateCode.UNTAGGED_TOO_LONG : TerminateCode.NONE;
    }

    /** The place of the payload of the segment under way. */
    public SgeCursor target() {
        return target;
    }

    /**
     * Whether a program may poll memory for the end of the segment under way: the segment is the last of a tagged message to an address
     * that the peer chose. The layer below places the end of such a segment only after its checksum is verified.
     */
    public boolean isEndWatched() {
        return Ddp.isTagged(control) && Ddp.isLast(control) && !upper.hasLocalPlace(ulp);
    }

    /**
     * Whether the payload of a segment may be placed before the segments that were sent before it: its header alone says where. Changes no
     * state.
     *
     * @param header memory that holds the whole header
     * @param at     the offset of the header
     */
    public boolean isPlacedAlone(MemorySegment header, long at) {
        return Ddp.isTagged(Ddp.control(header, at)) && !upper.hasLocalPlace(Ddp.ulp(header, at));
    }

    /**
     * The turn of a tagged segment has come whose payload was placed ahead: delivers it, if its place is still valid. The parameters are
     * the fields of its header.
     *
     * @param payloadLength bytes of payload
     * @return one of {@link TerminateCode}
     */
    public int onPlaced(int controlField, int ulpByte, int key, long taggedOffset, int payloadLength) {
        control = controlField;
        ulp = ulpByte;
        stag = key;
        offset = taggedOffset;
        length = payloadLength;
        target = tagged;
        tagged.clear();
        // The layer above delivers the segment that it found a place for last.
        int error = upper.onTagged(ulp, Ddp.isLast(control), stag, offset, length, tagged);
        return error == TerminateCode.NONE ? onVerified() : error;
    }

    /** Whether a message has begun and is not whole. Does not notice a Read Response that stops between two segments. */
    public boolean isInMessage() {
        boolean any = continues;
        for (boolean each : underWay) {
            any |= each;
        }
        return any;
    }

    /**
     * The segment is in place and its checksum is right: delivers its message to the layer above, an untagged one when it is whole.
     *
     * @return one of {@link TerminateCode}
     */
    public int onVerified() {
        boolean last = Ddp.isLast(control);
        if (Ddp.isTagged(control)) {
            tagged.clear();
            if (!upper.hasLocalPlace(ulp)) {
                continues = !last;
                nextStag = stag;
                nextOffset = offset + length;
            }
            return upper.deliverTagged(ulp, last, length);
        }
        if (!last) {
            return TerminateCode.NONE;
        }
        underWay[queue] = false;
        sequences[queue]++;
        return upper.deliverUntagged(queue, ulp, word, offset + length);
    }

    /**
     * The layer below acts on an error of {@link #onHeader}, because the checksum of the segment is right: the layer above completes the
     * receive that the error concerns.
     *
     * @param error one of {@link TerminateCode}
     */
    public void onRefused(int error) {
        if (error == TerminateCode.UNTAGGED_TOO_LONG) {
            upper.onTooLong(queue);
        }
    }

    /**
     * The memory of the payload under way can no longer be used.
     *
     * @return the error to terminate with
     */
    public int onBadMemory() {
        return Ddp.isTagged(control) ? upper.onBadTaggedMemory(ulp) : upper.onBadUntaggedMemory(queue);
    }
}

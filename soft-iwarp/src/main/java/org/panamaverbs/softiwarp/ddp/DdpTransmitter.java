package org.panamaverbs.softiwarp.ddp;

import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The transmitting half of a DDP stream: numbers the messages of each queue, cuts them into segments that fit the layer below, and writes
 * the headers (RFC 5041, 5.2). Fill in {@link #message()}, then {@link #begin()}, then {@link #sendSegment()} until the message is whole.
 *
 * <p>A long message to an address of the peer begins with a short segment. A receiver that trusts only a verified header has to copy the
 * first segment, and none of the others; and the short segment costs no call, since it arrives with the header that the receiver waits
 * for anyway. With 832 bytes a message of 64 KiB still makes two segments.
 */
public final class DdpTransmitter {
    /** The result of {@link #sendSegment}. */
    public enum Outcome {
        /** The segment is described, and the message has more. */
        MORE,
        /** The segment is described, and was the message's last. */
        LAST,
        /** The layer below has no room now. */
        NO_ROOM,
        /** The message's memory cannot be used any more; nothing of the segment is described. */
        BAD_MEMORY
    }

    /** Payload of the short first segment. */
    public static final int FIRST_PAYLOAD = 832;
    /** A message of this length or more begins with a short segment. */
    private static final int LONG_MESSAGE = 8 * 1024;

    private final LowerLayer lower;
    private final OutboundMessage message = new OutboundMessage();
    private final int[] sequences;
    private boolean inMessage;
    private int payload;

    /**
     * Makes the start of a stream.
     *
     * @param lower  the layer below
     * @param queues how many untagged queues there are
     */
    public DdpTransmitter(LowerLayer lower, int queues) {
        this.lower = lower;
        this.sequences = new int[queues];
    }

    /** The message to fill in while none is under way. */
    public OutboundMessage message() {
        return message;
    }

    /** Whether a message is begun and not whole. */
    public boolean isInMessage() {
        return inMessage;
    }

    /** Begins the message that was filled in. */
    public void begin() {
        inMessage = true;
        if (!message.isTagged()) {
            sequences[message.queue()]++;
        }
    }

    /** Has the layer below take the next segment of the message. */
    public Outcome sendSegment() {
        SgeCursor source = message.source();
        int headerSize = message.headerSize();
        long remaining = source.remaining();
        payload = payload(remaining, lower.mulpdu() - headerSize, message.beginsShort() && source.position() == 0);
        long at = lower.beginSegment(headerSize, payload, source, message.isStable());
        if (at == LowerLayer.NO_ROOM) {
            return Outcome.NO_ROOM;
        }
        boolean last = payload == remaining;
        message.putHeader(lower.headers(), at, last, message.isTagged() ? 0 : sequences[message.queue()]);
        if (!lower.endSegment(source)) {
            return Outcome.BAD_MEMORY;
        }
        if (last) {
            inMessage = false;
            return Outcome.LAST;
        }
        return Outcome.MORE;
    }

    /** Bytes of payload of the segment that was sent last. */
    public int payload() {
        return payload;
    }

    /**
     * How much payload the next segment has.
     *
     * @param remaining bytes of the message that are not sent; 0 makes one empty segment
     * @param most      what fits a segment
     * @param shortOne  whether it is a first segment that may be short
     * @return bytes
     */
    static int payload(long remaining, int most, boolean shortOne) {
        if (shortOne && remaining >= LONG_MESSAGE && most > FIRST_PAYLOAD) {
            return FIRST_PAYLOAD;
        }
        return (int) Math.min(remaining, most);
    }

    /** Gives up the message under way; nothing of it may be sent after this but what is described. */
    public void drop() {
        inMessage = false;
    }
}

package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;

/**
 * The transmitting half of a DDP stream: numbers the messages of each queue, cuts them into segments that fit the layer below, and writes
 * the headers (RFC 5041, 5.2). The caller fills in {@link #message()}, calls {@link #begin()}, and then {@link #sendSegment()} until the
 * message is whole.
 *
 * <p>A long Send or Write begins with a short segment. A receiver that does not trust a header before the checksum may have to copy the
 * first segment of a message, but none of the others. The short one costs it no extra call, because it arrives together with the
 * header that the receiver waits for. With a first segment of 832 bytes, a message of 64 KiB still fits into two segments.
 */
public final class DdpTransmitter {
    /** The result of {@link #sendSegment}. */
    public enum Outcome {
        /** The segment is described; more segments follow. */
        MORE,
        /** The segment is described; it is the last of the message. */
        LAST,
        /** The layer below has no room now. */
        NO_ROOM,
        /** The message's memory can no longer be used; nothing of the segment is described. */
        BAD_MEMORY
    }

    /** Bytes of payload in the short first segment. */
    public static final int FIRST_PAYLOAD = 832;
    /** A message of this many bytes or more begins with a short segment. */
    private static final int LONG_MESSAGE = 8 * 1024;

    private final LowerLayer lower;
    private final OutboundMessage message = new OutboundMessage();
    private final int[] sequences;
    private boolean inMessage;
    private int payload;
    private long segments;

    /**
     * Makes the transmitter of a new stream.
     *
     * @param lower  the layer below
     * @param queues the number of untagged queues
     */
    public DdpTransmitter(LowerLayer lower, int queues) {
        this(lower, queues, 1);
    }

    /** Makes a transmitter whose next message in each queue has this MSN. */
    DdpTransmitter(LowerLayer lower, int queues, int sequence) {
        this.lower = lower;
        this.sequences = new int[queues];
        Arrays.fill(sequences, sequence - 1);
    }

    /** The message, to be filled in while none is under way. */
    public OutboundMessage message() {
        return message;
    }

    /** Whether a message has begun and is not whole. */
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

    /** Passes the next segment of the message to the layer below. */
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
        segments++;
        if (last) {
            inMessage = false;
            return Outcome.LAST;
        }
        return Outcome.MORE;
    }

    /**
     * Sends a short message to a tagged buffer in one step, without {@link #message()}: in one segment whose payload is copied.
     *
     * @param control the ULP byte of the header
     * @param key     the STag
     * @param offset  the Tagged Offset of the first byte
     * @param from    has the payload; the caller keeps it usable
     * @param at      the offset of the payload
     * @param length  bytes of payload, up to {@link LowerLayer#COPIED_PAYLOAD}
     * @return the offset in the stream at which the message ends; {@link LowerLayer#NO_ROOM} if the layer below does not take it like this
     * @throws IllegalStateException if the payload's arena is closed; nothing is sent then
     */
    public long sendTagged(int control, int key, long offset, MemorySegment from, long at, int length) {
        long header = lower.beginCopied(Ddp.TAGGED_SIZE, length);
        if (header == LowerLayer.NO_ROOM) {
            return LowerLayer.NO_ROOM;
        }
        Ddp.putTagged(lower.headers(), header, true, control, key, offset);
        return sendCopied(from, at, header + Ddp.TAGGED_SIZE, length);
    }

    /**
     * The same for a message to an untagged buffer.
     *
     * @param word   the ULP's further 32 bits of the header
     * @param number the queue number
     */
    public long sendUntagged(int control, int word, int number, MemorySegment from, long at, int length) {
        long header = lower.beginCopied(Ddp.UNTAGGED_SIZE, length);
        if (header == LowerLayer.NO_ROOM) {
            return LowerLayer.NO_ROOM;
        }
        Ddp.putUntagged(lower.headers(), header, true, control, word, number, sequences[number] + 1, 0);
        long end = sendCopied(from, at, header + Ddp.UNTAGGED_SIZE, length);
        sequences[number]++;
        return end;
    }

    private long sendCopied(MemorySegment from, long at, long to, int length) {
        MemorySegment.copy(from, at, lower.headers(), to, length);
        segments++;
        return lower.endCopied();
    }

    /** How many segments the layer below has taken. */
    public long segments() {
        return segments;
    }

    /** Bytes of payload in the last segment of {@link #sendSegment}. */
    public int payload() {
        return payload;
    }

    /**
     * The payload of the next segment.
     *
     * @param remaining bytes of the message that are left; 0 makes one empty segment
     * @param most      the most bytes of payload that fit into a segment
     * @param shortOne  whether it is a first segment that may be short
     * @return bytes, 0 or more
     */
    static int payload(long remaining, int most, boolean shortOne) {
        if (shortOne && remaining >= LONG_MESSAGE && most > FIRST_PAYLOAD) {
            return FIRST_PAYLOAD;
        }
        return (int) Math.min(remaining, most);
    }

    /** Drops the rest of the message under way; segments that are described may still be sent. */
    public void drop() {
        inMessage = false;
    }
}

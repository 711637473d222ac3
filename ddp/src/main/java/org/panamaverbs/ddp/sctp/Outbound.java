package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * The one message of a stream that leaves next, and the DDP-SSNs of the messages. A message gets its DDP-SSN when it is complete, and the
 * next one can only begin after it was sent: so the order of the DDP-SSNs is the order in which SCTP gets the messages, without a gap
 * (RFC 5043, 5.2.1 and 6). Only the transmitting thread uses it.
 */
public final class Outbound {
    private static final int FIRST_BUFFER = 1024;
    private static final int NEXT_BUFFER = 16 * 1024;

    private final SegmentAllocator allocator;
    private MemorySegment memory;
    private int length;
    private int protocol;
    private int nextSsn;

    /**
     * Makes it empty; the first message gets the DDP-SSN 0.
     *
     * @param allocator allocates native memory that any thread may use
     */
    public Outbound(SegmentAllocator allocator) {
        this.allocator = allocator;
        this.memory = allocator.allocate(FIRST_BUFFER, 8);
    }

    /** Whether there is nothing to send. */
    public boolean isEmpty() {
        return length == 0;
    }

    /** The memory that begins with the message; another one after a longer message. */
    public MemorySegment memory() {
        return memory;
    }

    /** The length of the message in bytes, 0 if there is none. */
    public int length() {
        return length;
    }

    /** The Payload Protocol Identifier of the message. */
    public int protocol() {
        return protocol;
    }

    /** The message was sent. */
    public void onSent() {
        if (length == 0) {
            throw new IllegalStateException("no message was to be sent");
        }
        length = 0;
    }

    /** Makes room for a message of this many bytes, while there is none. */
    MemorySegment begin(int size) {
        if (memory.byteSize() < size) {
            // Twice at most: first for segments of a usual MTU, then for the longest.
            memory = allocator.allocate(size <= NEXT_BUFFER ? NEXT_BUFFER : SctpSegments.LONGEST_MESSAGE, 8);
        }
        return memory;
    }

    /** The message is complete but for its DDP-SSN. */
    void end(int size, int payloadProtocol) {
        SctpSegment.ssn(memory, 0, nextSsn);
        nextSsn = nextSsn + 1 & SctpSegment.SSN_MASK;
        length = size;
        protocol = payloadProtocol;
    }

    /** Drops the message, which must not be sent any more. */
    void drop() {
        length = 0;
    }
}

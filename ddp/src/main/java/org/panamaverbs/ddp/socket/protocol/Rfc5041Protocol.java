package org.panamaverbs.ddp.socket.protocol;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** RFC 5041 without RDMAP, over any lower layer: how messages begin. */
public abstract class Rfc5041Protocol implements StreamProtocol {
    /** The most queues that a peer can have. */
    public static final int MOST_QUEUES = 256;
    /** A message is shorter than 2^32 bytes (RFC 5041, 5.2), tagged or not. */
    private static final long LONGEST = 0xFFFF_FFFFL;

    private final DdpTransmitter transmitter;
    private final boolean beginsShort;
    private final SendMemory memory = new SendMemory();

    /**
     * Makes the protocol of a new stream.
     *
     * @param lower       the layer below
     * @param beginsShort whether long tagged messages begin with a short segment, which a receiver can verify cheaply
     */
    protected Rfc5041Protocol(LowerLayer lower, boolean beginsShort) {
        this.transmitter = new DdpTransmitter(lower, MOST_QUEUES);
        this.beginsShort = beginsShort;
    }

    /** The transmitter of the stream. */
    protected final DdpTransmitter transmitter() {
        return transmitter;
    }

    /** An error of the peer in words, or {@code null} if there is none. */
    protected static String describe(int error) {
        return error == TerminateCode.NONE ? null : "ended by this side: " + TerminateCode.describe(error);
    }

    @Override
    public final long longestUntagged() {
        return LONGEST;
    }

    @Override
    public final long longestTagged() {
        return LONGEST;
    }

    @Override
    public final int mostIdentifier() {
        return Client.NOTIFY_BIT - 1;
    }

    @Override
    public final void beginUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        transmitter.message().untagged(octet, word, queue);
        begin(message, offset, length);
    }

    @Override
    public final void beginTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, boolean notifies,
            int messageId, int octet) {
        transmitter.message().tagged(notifies ? Client.NOTIFY_BIT | messageId : octet, stag, taggedOffset);
        if (beginsShort) {
            transmitter.message().beginShort();
        }
        begin(message, offset, length);
    }

    private void begin(MemorySegment message, long offset, long length) {
        if (length > 0) {
            transmitter.message().source().wrap(memory.of(message), offset, length);
        }
        transmitter.begin();
    }

    @Override
    public void drop() {
        transmitter.drop();
    }
}

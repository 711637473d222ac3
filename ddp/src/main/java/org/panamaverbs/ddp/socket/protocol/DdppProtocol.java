package org.panamaverbs.ddp.socket.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.ddpp.Ddpp;
import org.panamaverbs.ddp.ddpp.StreamError;
import org.panamaverbs.ddp.ddpp.StreamReader;
import org.panamaverbs.ddp.ddpp.StreamWriter;
import org.panamaverbs.softiwarp.memory.IoVector;

/** DDPP core over TCP, after both preambles were exchanged. */
public final class DdppProtocol implements StreamProtocol {
    private final StreamReader reader;
    private final StreamWriter writer;
    private final SendMemory memory = new SendMemory();

    /**
     * Makes the protocol of a new stream.
     *
     * @param preamble  what the peer has sent: {@link Ddpp#PREAMBLE_SIZE} bytes, which were checked
     * @param allocator allocates native memory that any thread may use
     */
    public DdppProtocol(Client client, SocketCounters counters, MemorySegment preamble, SegmentAllocator allocator) {
        reader = new StreamReader(client, counters, allocator);
        writer = new StreamWriter(allocator);
        // Both preambles were exchanged before there was a socket.
        writer.onSent(Ddpp.PREAMBLE_SIZE);
        IoVector target = new IoVector(2);
        reader.targets(target);
        MemorySegment.copy(preamble, 0, target.segment(0), target.offset(0), Ddpp.PREAMBLE_SIZE);
        onReceived(Ddpp.PREAMBLE_SIZE);
    }

    @Override
    public void pollReceive(IoVector into) {
        reader.targets(into);
    }

    @Override
    public String onReceived(long count) {
        return describe(reader.onReceived(count));
    }

    @Override
    public String onBadReceiveMemory() {
        return describe(reader.onBadMemory());
    }

    @Override
    public String onEndOfStream() {
        return describe(reader.onEndOfStream());
    }

    private String describe(StreamError error) {
        return error == StreamError.NONE ? null : reader.describe();
    }

    @Override
    public boolean isHeld() {
        return false;
    }

    @Override
    public MessageSizes sizes() {
        return new MessageSizes(StreamWriter.MOST_UNDECORATED, StreamWriter.MOST_DECORATED);
    }

    @Override
    public long longestUntagged() {
        return StreamWriter.MOST_UNDECORATED;
    }

    @Override
    public long longestTagged() {
        return Long.MAX_VALUE; // DDPP splits a long message, and each part is a message of its own
    }

    @Override
    public int mostIdentifier() {
        return Ddpp.MOST_IDENTIFIER;
    }

    @Override
    public void beginUntagged(MemorySegment message, long from, long length, int queue, int octet, int word) {
        writer.beginUndecorated(length);
        wrap(message, from, length);
    }

    @Override
    public void beginTagged(MemorySegment message, long from, long length, int stag, long taggedOffset, boolean notifies, int messageId,
            int octet) {
        writer.beginDecorated(length, stag, taggedOffset, notifies, messageId, false);
        wrap(message, from, length);
    }

    private void wrap(MemorySegment message, long from, long length) {
        if (length > 0) {
            writer.source().wrap(memory.of(message), from, length);
        }
    }

    @Override
    public IoVector pollTransmit() {
        return writer.poll();
    }

    @Override
    public void onSent(long count) {
        writer.onSent(count);
    }

    @Override
    public void drop() {
        writer.abandon();
    }
}

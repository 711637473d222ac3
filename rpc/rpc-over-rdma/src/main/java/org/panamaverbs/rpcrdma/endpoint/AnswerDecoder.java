package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/** Checks the answer to a call against the chunks that the call offered, and finds the results in them. */
// Tested by ReplyChunkTest, HostileReplyTest.
final class AnswerDecoder {
    private final Counters counters;

    AnswerDecoder(Counters counters) {
        this.counters = counters;
    }

    /** The reply, copied out of the message and its Reply chunk, with the results that were placed. */
    MessageXdr decode(OutboundCall call, HeaderReader header, MemorySegment message) throws CallFailedException {
        ChunkLists returned = header.chunks();
        MemorySegment[] placed = placed(call, returned);
        byte[] payload;
        if (header.procedure() == Wire.MSG) {
            payload = new byte[(int) header.payloadLength()];
            MemorySegment.copy(message, header.payloadOffset(), MemorySegment.ofArray(payload), 0, payload.length);
        } else {
            long length = returned.hasReply() ? returned.reply().totalLength() : 0;
            if (!isOffered(call, returned.reply())) {
                throw new CallFailedException(Reason.BAD_REPLY,
                        "the reply says that it lies in a Reply chunk, but none of that length was offered");
            }
            payload = new byte[(int) length];
            MemorySegment.copy(call.replyBuffer.segment(), 0, MemorySegment.ofArray(payload), 0, length);
        }
        counters.bytesCopied.add(payload.length);
        MemorySegment copy = MemorySegment.ofArray(payload);
        if (payload.length < 2 * Integer.BYTES || copy.get(Endpoint.INT, 0) != call.xid || copy.get(Endpoint.INT, 4) != Wire.REPLY) {
            throw new CallFailedException(Reason.BAD_REPLY, "the reply's payload is no RPC reply with its XID");
        }
        return MessageXdr.received(copy, placed);
    }

    /** Whether a Reply chunk is that of the call, and no longer: the link's buffer behind it may be longer, and hold other messages. */
    private static boolean isOffered(OutboundCall call, SegmentList chunk) {
        return call.replyChunk != null && chunk.count() == 1 && chunk.handle(0) == call.replyChunk.handle()
                && chunk.offset(0) == call.replyChunk.offset() && chunk.length(0) <= call.replyOffered;
    }

    /** The lengths that the peer wrote into the Write chunks: it returns the chunks as it got them but for the lengths (RFC 8166, 3.4.6). */
    private MemorySegment[] placed(OutboundCall call, ChunkLists returned) throws CallFailedException {
        int offered = call.withoutWriteChunks ? 0 : call.results.size();
        if (returned.reads().count() != 0 || returned.writeChunks() != offered) {
            throw new CallFailedException(Reason.BAD_REPLY, "the reply returns " + returned.writeChunks() + " Write chunks of " + offered);
        }
        MemorySegment[] placed = new MemorySegment[offered];
        for (int i = 0; i < offered; i++) {
            SegmentList chunk = returned.write(i);
            MemorySegment result = call.results.get(i);
            Link.Exposure exposure = call.exposures.get(call.resultHandlesFrom + i);
            if (chunk.count() == 0) {
                continue;
            }
            if (chunk.count() != 1 || chunk.handle(0) != exposure.handle() || chunk.offset(0) != exposure.offset()
                    || chunk.length(0) > result.byteSize()) {
                throw new CallFailedException(Reason.BAD_REPLY, "the reply returns another Write chunk than was offered");
            }
            placed[i] = chunk.length(0) == 0 ? null : result.asSlice(0, chunk.length(0));
            counters.bytesPlacedIn.add(chunk.length(0));
        }
        return placed;
    }
}

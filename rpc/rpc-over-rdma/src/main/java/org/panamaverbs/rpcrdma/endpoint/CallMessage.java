package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.HeaderWriter;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * Writes the messages of calls, each in the form that it needs (RFC 8166, 3.5), and opens memory of the call to the peer. A call keeps what was
 * opened for it also if it cannot be written.
 */
// Tested by Rfc8166CallsTest, ReplyChunkTest, Version2ErrorsTest, EndpointSimulationTest.
final class CallMessage {
    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final ChunkLists chunks = new ChunkLists();

    CallMessage(Endpoint endpoint, Link link, EndpointOptions options) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
    }

    /** Chooses the form of the message (RFC 8166, 3.5), opens memory to the peer, and writes the message. */
    int compose(OutboundCall call, MemorySegment into) throws CallFailedException {
        int version = endpoint.version();
        Payload payload = new Payload(call.message);
        chunks.clear();
        chunks.setDirection(Wire.CALL);
        call.readChunks = 0;
        boolean inlineOnly = endpoint.isInlineOnly();
        if (inlineOnly) {
            // Without chunks the results come inline, or not at all.
            call.withoutWriteChunks = true;
        } else {
            addResults(call);
        }
        long threshold = endpoint.sendThreshold();
        boolean[] reduced = new boolean[payload.items()];
        long header = HeaderWriter.messageLength(version, chunks);
        int procedure = Wire.MSG;
        if (header + payload.length(reduced) > threshold) {
            if (inlineOnly) {
                throw new CallFailedException(Reason.LOCAL, "the call has " + payload.length(reduced) + " bytes, too many for the "
                        + threshold + " of a message, and the client takes backward calls without chunks alone");
            }
            if (!reduce(call, payload, reduced, threshold - header)) {
                chunks.reads().clear();
                longCall(call, payload);
                procedure = Wire.NOMSG;
            }
        }
        chunks.setInvalidateHandle(version == Wire.VERSION_2 ? invalidatable(call) : 0);
        long end = HeaderWriter.message(into, 0, call.xid, version, options.creditsAsked(), procedure, chunks);
        if (end > threshold) {
            throw new CallFailedException(Reason.LOCAL, "the header of the call has " + end + " bytes, more than the " + threshold
                    + " that the peer takes: place fewer results, or use fewer parts");
        }
        if (procedure == Wire.MSG) {
            end = payload.copy(into, end, reduced);
            endpoint.counters().bytesCopied.add(payload.length(reduced));
        }
        return (int) end;
    }

    /** Write chunks for results, and a Reply chunk if the reply may be too long for a message (RFC 8166, 4.3.3). */
    private void addResults(OutboundCall call) {
        call.resultHandlesFrom = call.exposures.size();
        long replyLength = call.replyLength;
        if (call.withoutWriteChunks) {
            for (MemorySegment result : call.results) {
                replyLength += MessageXdr.padded(result.byteSize());
            }
        } else {
            for (MemorySegment result : call.results) {
                expose(call, chunks.addWrite(), result);
            }
        }
        // The size of the reply's header: its lists are those of the call, without Reads, and a Reply chunk.
        long header = HeaderWriter.messageLength(endpoint.version(), chunks);
        if (header + replyLength > endpoint.receiveThreshold()) {
            if (replyLength > options.messageSize()) {
                throw new IllegalArgumentException(
                        "a reply of " + replyLength + " bytes is longer than the longest message, " + options.messageSize());
            }
            call.replyBuffer = link.takeReplyBuffer(replyLength);
            call.buffers.add(call.replyBuffer);
            expose(call, chunks.addReply(), call.replyBuffer.segment().asSlice(0, replyLength));
            call.replyChunk = call.exposures.getLast();
            call.replyOffered = replyLength;
        }
    }

    private void expose(OutboundCall call, SegmentList chunk, MemorySegment memory) {
        Link.Exposure exposure = link.expose(memory, true);
        call.exposures.add(exposure);
        endpoint.counters().exposures.increment();
        chunk.add(exposure.handle(), memory.byteSize(), exposure.offset());
    }

    /** Moves items to Read chunks, the largest first, until the rest fits; {@code false} if it does not. */
    private boolean reduce(OutboundCall call, Payload payload, boolean[] reduced, long room) {
        List<Integer> bySize = new ArrayList<>();
        for (int i = 0; i < payload.items(); i++) {
            if (payload.item(i).byteSize() > 0) {
                bySize.add(i);
            }
        }
        bySize.sort((a, b) -> Long.compare(payload.item(b).byteSize(), payload.item(a).byteSize()));
        long segmentLength = 24;
        long left = room;
        for (int i : bySize.subList(0, Math.min(bySize.size(), call.mostReadChunks))) {
            reduced[i] = true;
            left -= segmentLength;
            if (payload.length(reduced) <= left) {
                for (int item = 0; item < reduced.length; item++) {
                    if (reduced[item]) {
                        exposeRead(call, (int) payload.position(item), registrable(call, payload.item(item)));
                        call.readChunks++;
                    }
                }
                return true;
            }
        }
        return false;
    }

    /** Memory of the heap cannot be registered: it is copied. */
    private MemorySegment registrable(OutboundCall call, MemorySegment item) {
        if (item.isNative()) {
            return item;
        }
        Link.Memory buffer = link.takeBuffer(item.byteSize());
        call.buffers.add(buffer);
        endpoint.counters().bytesCopied.add(item.byteSize());
        return buffer.segment().asSlice(0, item.byteSize()).copyFrom(item);
    }

    private void exposeRead(OutboundCall call, int position, MemorySegment memory) {
        Link.Exposure exposure = link.expose(memory, false);
        call.exposures.add(exposure);
        endpoint.counters().exposures.increment();
        call.bytesToRead += memory.byteSize();
        chunks.reads().add(position, exposure.handle(), memory.byteSize(), exposure.offset());
    }

    /** A Position Zero Read chunk with the whole payload (RFC 8166, 3.5.3). */
    private void longCall(OutboundCall call, Payload payload) throws CallFailedException {
        long length = payload.length(null);
        if (length > options.messageSize()) {
            throw new CallFailedException(Reason.LOCAL, "the call has " + length + " bytes, more than the longest message, "
                    + options.messageSize() + ": encode large data by OpaqueSegment, or allow longer messages");
        }
        Link.Memory buffer = link.takeBuffer(length);
        call.buffers.add(buffer);
        payload.copy(buffer.segment(), 0, null);
        endpoint.counters().bytesCopied.add(length);
        exposeRead(call, 0, buffer.segment().asSlice(0, length));
    }

    /** The handle that version 2 lets the responder invalidate: that of the largest part, which comes first of its kind. */
    private static int invalidatable(OutboundCall call) {
        for (Link.Exposure exposure : call.exposures) {
            if (exposure.canBeInvalidated()) {
                return exposure.handle();
            }
        }
        return 0;
    }
}

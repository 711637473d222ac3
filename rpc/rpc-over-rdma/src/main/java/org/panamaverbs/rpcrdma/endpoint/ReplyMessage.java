package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderWriter;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * A reply while it is made, in the form that the call allows (RFC 8166, 3.5). First all is checked and all memory is taken, and only then
 * is anything posted: a reply that is refused leaves the requester's memory as it is, and nothing posted uses memory that is given back.
 */
// Tested by Rfc8166RepliesTest, EndpointSimulationTest.
final class ReplyMessage {
    private record Write(Link.Memory from, long length, SegmentList offered, SegmentList used) {
    }

    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final InboundCall call;
    private final CallMemory memory;
    private final Payload payload;
    private final boolean[] reduced;
    private final ChunkLists returned = new ChunkLists();
    private final List<Link.Memory> sources = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();

    ReplyMessage(Endpoint endpoint, Link link, EndpointOptions options, InboundCall call, CallMemory memory, MessageXdr message) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        this.call = call;
        this.memory = memory;
        payload = new Payload(message);
        reduced = new boolean[payload.items()];
    }

    /** Writes the message, and takes the memory that Writes need; returns the length of the message. Nothing is posted yet. */
    long compose(MemorySegment into) throws Failure {
        returned.setDirection(Wire.REPLY);
        chooseResults();
        if (call.chunks.hasReply()) {
            unused(call.chunks.reply(), returned.addReply());
        }
        long header = HeaderWriter.messageLength(call.version, returned);
        long length = payload.length(reduced);
        boolean inline = header + length <= endpoint.sendThreshold();
        long room = call.chunks.hasReply() ? call.chunks.reply().totalLength() : 0;
        if (!inline && (length > room || header > endpoint.sendThreshold())) {
            throw new Failure(ErrorCode.REPLY_RESOURCE, (int) length, 0, "the reply has " + length + " bytes");
        }
        takeResults();
        endpoint.counters().bytesCopied.add(length);
        if (inline) {
            return payload.copy(into, header(into, Wire.MSG), reduced);
        }
        Link.Memory buffer = link.takeBuffer(length);
        sources.add(buffer);
        payload.copy(buffer.segment(), 0, reduced);
        add(buffer, length, call.chunks.reply(), returned.reply());
        return header(into, Wire.NOMSG);
    }

    private long header(MemorySegment into, int procedure) {
        return HeaderWriter.message(into, 0, call.xid, call.version, options.creditsGranted(), procedure, returned);
    }

    /** Item after item for Write chunk after Write chunk; an empty one asks for its item inline (RFC 8166, 4.3.2). */
    private void chooseResults() throws Failure {
        for (int i = 0; i < call.chunks.writeChunks(); i++) {
            SegmentList offered = call.chunks.write(i);
            unused(offered, returned.addWrite());
            if (i < reduced.length && offered.count() > 0) {
                long length = payload.item(i).byteSize();
                if (length > offered.totalLength()) {
                    throw new Failure(ErrorCode.WRITE_RESOURCE, i + 1, (int) length, "a Write chunk is too small");
                }
                reduced[i] = true;
            }
        }
    }

    private static void unused(SegmentList offered, SegmentList chunk) {
        chunk.set(offered);
        for (int i = 0; i < chunk.count(); i++) {
            chunk.setLength(i, 0);
        }
    }

    private void takeResults() {
        for (int i = 0; i < reduced.length; i++) {
            MemorySegment item = payload.item(i);
            if (reduced[i] && item.byteSize() > 0) {
                Link.Memory source = item.isNative() ? link.source(item) : link.takeBuffer(item.byteSize());
                sources.add(source);
                if (!item.isNative()) {
                    memory.more(call, item.byteSize());
                    source.segment().asSlice(0, item.byteSize()).copyFrom(item);
                }
                add(source, item.byteSize(), call.chunks.write(i), returned.write(i));
            }
        }
    }

    private void add(Link.Memory from, long length, SegmentList offered, SegmentList used) {
        writes.add(new Write(from, length, offered, used));
        long left = length;
        for (int i = 0; i < offered.count() && left > 0; i++) {
            long part = Math.min(offered.length(i), left);
            used.setLength(i, part);
            left -= part;
        }
    }

    /** Posts the Writes, and the message behind them. */
    void post(Link.Memory message, long length, Link.Done done) {
        for (Write write : writes) {
            long at = 0;
            for (int i = 0; i < write.used.count(); i++) {
                long part = write.used.length(i);
                if (part > 0) {
                    link.write(write.from, at, part, write.offered.handle(i), write.offered.offset(i));
                    at += part;
                }
            }
            endpoint.counters().bytesPlacedOut.add(write.length);
        }
        int invalidate = invalidate();
        if (invalidate != 0) {
            link.sendInvalidate(message, length, invalidate, done);
        } else {
            link.send(message, length, done);
        }
    }

    /** The handle to invalidate, or 0: that which version 2 names, or the only one of version 1 if the peer allows it (RFC 8797, 4.1). */
    private int invalidate() {
        if (!link.canInvalidate()) {
            return 0;
        }
        if (call.version == Wire.VERSION_2) {
            return call.chunks.invalidateHandle();
        }
        return link.peer() != null && link.peer().remoteInvalidation() ? onlyHandle() : 0;
    }

    private int onlyHandle() {
        int handle = 0;
        for (SegmentList list : lists()) {
            for (int i = 0; i < list.count(); i++) {
                if (handle != 0 && list.handle(i) != handle) {
                    return 0;
                }
                handle = list.handle(i);
            }
        }
        return handle;
    }

    private List<SegmentList> lists() {
        List<SegmentList> lists = new ArrayList<>();
        lists.add(call.chunks.reads());
        for (int i = 0; i < call.chunks.writeChunks(); i++) {
            lists.add(call.chunks.write(i));
        }
        if (call.chunks.hasReply()) {
            lists.add(call.chunks.reply());
        }
        return lists;
    }

    void release() {
        sources.forEach(Link.Memory::release);
    }
}

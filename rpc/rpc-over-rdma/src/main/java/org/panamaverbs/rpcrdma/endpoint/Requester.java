package org.panamaverbs.rpcrdma.endpoint;

import java.io.EOFException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.HeaderWriter;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * The calls of this side: credits, chunks, answers. All methods are called under the endpoint's lock.
 *
 * <p>At most as many calls are outstanding as the peer granted, and one before the first answer (RFC 8166, 3.3.1 and 3.3.3). The others
 * wait in the order in which they were made.
 */
final class Requester {
    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final Map<Integer, OutboundCall> calls = new HashMap<>();
    private final Queue<OutboundCall> queue = new ArrayDeque<>();
    private final ChunkLists chunks = new ChunkLists();
    private int outstanding;
    private int granted = 1;

    Requester(Endpoint endpoint, Link link, EndpointOptions options) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
    }

    /** Whether a call of this side waits for an answer. */
    boolean isOutstanding(int xid) {
        OutboundCall call = calls.get(xid);
        return call != null && call.state != OutboundCall.State.QUEUED;
    }

    void call(OutboundCall call) {
        if (calls.putIfAbsent(call.xid, call) != null) {
            endpoint.later(() -> call.listener.failed(new CallFailedException(Reason.LOCAL,
                    "a call with XID 0x" + Integer.toHexString(call.xid) + " is outstanding already: use another XID")));
            return;
        }
        queue.add(call);
        pump();
    }

    /** Sends as many calls as the credits allow. */
    void pump() {
        while (!queue.isEmpty() && outstanding < Math.min(granted, Math.max(options.creditsAsked(), 1))) {
            OutboundCall call = queue.remove();
            endpoint.attempt(() -> transmit(call), cause -> notMade(call, cause));
        }
    }

    /** Its memory may be at fault, or what it holds: then the call alone fails. */
    private void notMade(OutboundCall call, Throwable cause) {
        switch (cause) {
            case CallFailedException failure -> fail(call, failure);
            case RuntimeException failure -> fail(call,
                    new CallFailedException(Reason.LOCAL, "the call cannot be made: " + failure.getMessage()));
            default -> link.fail(cause);
        }
    }

    private void fail(OutboundCall call, Throwable cause) {
        finish(call, false, 0, () -> call.listener.failed(cause));
    }

    /** The caller hears of the end of a call. Only then is the call forgotten: whatever this throws, the caller hears of the connection's end. */
    private void finish(OutboundCall call, boolean invalidated, int handle, Endpoint.Attempt then) {
        close(call, invalidated, handle, then);
        calls.remove(call.xid);
    }

    private void transmit(OutboundCall call) throws CallFailedException {
        Link.Memory send = link.takeSend();
        if (send == null) {
            link.fail("no memory is left to send a call in: too many messages are under way");
            return;
        }
        boolean posted = false;
        try {
            int length = compose(call, send.segment());
            link.send(send, length, success -> {
                if (success) {
                    endpoint.step(() -> sent(call, length));
                }
            });
            posted = true;
            call.state = OutboundCall.State.OUTSTANDING;
            outstanding++;
        } finally {
            if (!posted) {
                send.release();
            }
        }
        endpoint.counters().callsSent.increment();
    }

    /** A completion may come after the answer, and a call may be sent twice: its caller hears of the first alone. */
    private void sent(OutboundCall call, int length) {
        if (call.state == OutboundCall.State.OUTSTANDING && !call.sentOnce && calls.get(call.xid) == call) {
            call.sentOnce = true;
            endpoint.later(() -> call.listener.sent(length));
        }
    }

    /** Chooses the form of the message (RFC 8166, 3.5), opens memory to the peer, and writes the message. */
    private int compose(OutboundCall call, MemorySegment into) throws CallFailedException {
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
                throw new IllegalArgumentException("a reply of " + replyLength + " bytes is longer than the longest message, "
                        + options.messageSize());
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

    /** The caller is no longer interested: its memory is closed to the peer, which may answer yet. */
    void cancel(int xid, Exception cause, Endpoint.Attempt unknown) {
        OutboundCall call = calls.get(xid);
        if (call == null || call.state == OutboundCall.State.ABANDONED) {
            // Its answer came meanwhile, and its memory is closed to the peer already.
            endpoint.later(unknown);
            return;
        }
        if (call.state == OutboundCall.State.QUEUED) {
            queue.remove(call);
            fail(call, cause);
            return;
        }
        close(call, false, 0, () -> call.listener.failed(cause));
        // The credit is free once the peer answers, not before.
        call.state = OutboundCall.State.ABANDONED;
    }

    /** A message of procedure MSG or NOMSG that is an answer. */
    void onReply(HeaderReader header, MemorySegment message, boolean invalidated, int handle) {
        OutboundCall call = calls.get(header.xid());
        if (call == null || call.state == OutboundCall.State.QUEUED || header.version() != endpoint.version()) {
            endpoint.counters().discarded.increment();
            return;
        }
        answered(header);
        endpoint.counters().repliesReceived.increment();
        endpoint.counters().bytesPlacedOut.add(call.bytesToRead);
        if (call.state == OutboundCall.State.ABANDONED) {
            calls.remove(call.xid);
        } else {
            finish(call, invalidated, handle, answer(call, header, message));
        }
        pump();
    }

    private Endpoint.Attempt answer(OutboundCall call, HeaderReader header, MemorySegment message) {
        try {
            MessageXdr reply = decode(call, header, message);
            return () -> endpoint.attempt(() -> call.listener.answered(reply), call.listener::failed);
        } catch (CallFailedException e) {
            return () -> call.listener.failed(e);
        }
    }

    private void answered(HeaderReader header) {
        outstanding--;
        // A grant of 0 is forbidden, since nothing could be sent any more (RFC 8166, 3.3.1).
        granted = header.credits() <= 0 ? 1 : header.credits();
        endpoint.confirmed();
    }

    private MessageXdr decode(OutboundCall call, HeaderReader header, MemorySegment message) throws CallFailedException {
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
        endpoint.counters().bytesCopied.add(payload.length);
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
            endpoint.counters().bytesPlacedIn.add(chunk.length(0));
        }
        return placed;
    }

    /** A message of procedure ERROR. */
    void onError(HeaderReader header) {
        OutboundCall call = calls.get(header.xid());
        if (call == null || call.state == OutboundCall.State.QUEUED) {
            if (!endpoint.isPropertyError(header.xid())) {
                endpoint.counters().discarded.increment();
            }
            return;
        }
        endpoint.counters().errorsReceived.increment();
        outstanding--;
        if (call.state == OutboundCall.State.ABANDONED) {
            calls.remove(call.xid);
            pump();
            return;
        }
        if (again(call, header)) {
            return;
        }
        if (header.error() != ErrorCode.VERSION) {
            granted = header.credits() <= 0 ? 1 : header.credits();
            endpoint.confirmed();
        }
        fail(call, describe(header));
        pump();
    }

    /** Sends the call again, in a form or a version that the peer can take; {@code false} if there is none. */
    private boolean again(OutboundCall call, HeaderReader header) {
        boolean resend = switch (header.error()) {
            case VERSION -> endpoint.fallBack(header.errorFirst(), header.errorSecond());
            case READ_CHUNKS -> withFewerReadChunks(call, header.errorFirst());
            case WRITE_CHUNKS -> withoutWriteChunks(call);
            case REPLY_RESOURCE -> withLongerReply(call, header.errorFirst());
            default -> false;
        };
        if (!resend) {
            return false;
        }
        call.state = OutboundCall.State.QUEUED;
        close(call, false, 0, () -> endpoint.step(() -> {
            if (calls.get(call.xid) == call) {
                queue.add(call);
                pump();
            }
        }));
        return true;
    }

    /** "SHOULD resend the request using a Position-Zero Read chunk" (draft, 7.2.4), or using as many chunks as the peer takes. */
    private static boolean withFewerReadChunks(OutboundCall call, long most) {
        if (call.readChunks <= most) {
            return false;
        }
        call.mostReadChunks = (int) most;
        return true;
    }

    /** "SHOULD resend the request with no Write chunks and a Reply chunk of appropriate size" (draft, 7.2.4). */
    private boolean withoutWriteChunks(OutboundCall call) {
        long length = call.replyLength;
        for (MemorySegment result : call.results) {
            length += MessageXdr.padded(result.byteSize());
        }
        if (call.withoutWriteChunks || call.results.isEmpty() || length > options.messageSize()) {
            return false;
        }
        call.withoutWriteChunks = true;
        return true;
    }

    /**
     * "It MAY send the request again using the same XID and larger reply resources" (draft, 7.2.4). The peer said so after it executed the
     * call, so the caller must allow it. A peer that takes no Write chunks says so before, by the length 0.
     */
    private boolean withLongerReply(OutboundCall call, long needed) {
        if (needed == 0) {
            return withoutWriteChunks(call);
        }
        if (!call.repeatable || needed <= call.replyLength || needed > options.messageSize()) {
            return false;
        }
        call.replyLength = (int) needed;
        return true;
    }

    private CallFailedException describe(HeaderReader header) {
        String peer = "the peer refused the call: " + header.error().text();
        return new CallFailedException(Reason.values()[header.error().ordinal()], switch (header.error()) {
            case VERSION -> peer + ": it speaks versions " + header.errorFirst() + " to " + header.errorSecond() + ", this side "
                    + options.lowestVersion() + " to " + options.highestVersion() + " (RdmaRpcOptions.withVersions)";
            case BAD_XDR -> peer + ": it cannot decode the header, or the memory offered for the reply is too small";
            case READ_CHUNKS, WRITE_CHUNKS -> peer + ": it takes " + header.errorFirst() + " such chunks at most";
            case SEGMENTS -> peer + ": it takes " + header.errorFirst() + " segments of a chunk at most";
            case WRITE_RESOURCE -> peer + ": result " + header.errorFirst() + " needs " + header.errorSecond() + " bytes";
            case REPLY_RESOURCE -> peer + ": the reply needs " + header.errorFirst() + " bytes (Placement.replyAtMost)";
            default -> peer;
        });
    }

    /** Closes the call's memory to the peer, and gives buffers back; then it goes on with the next step. */
    private void close(OutboundCall call, boolean invalidated, int handle, Endpoint.Attempt then) {
        List<Link.Exposure> exposures = List.copyOf(call.exposures);
        List<Link.Memory> buffers = List.copyOf(call.buffers);
        Endpoint.Attempt closed = () -> {
            try {
                buffers.forEach(Link.Memory::release);
            } finally {
                then.run();
            }
        };
        if (exposures.isEmpty()) {
            endpoint.later(closed);
        } else {
            if (invalidated && exposures.stream().anyMatch(exposure -> exposure.handle() == handle)) {
                endpoint.counters().invalidatedByPeer.increment();
            }
            link.revoke(exposures, invalidated, handle, success -> endpoint.attempt(closed));
        }
        call.exposures.clear();
        call.bytesToRead = 0;
        call.buffers.clear();
        call.replyBuffer = null;
        call.replyChunk = null;
    }

    /** The connection ended: nothing of this side is open to the peer any more. */
    void onEnd(String reason) {
        queue.clear();
        for (OutboundCall call : List.copyOf(calls.values())) {
            if (call.state != OutboundCall.State.ABANDONED) {
                fail(call, new EOFException(reason));
            }
        }
        calls.clear();
    }
}

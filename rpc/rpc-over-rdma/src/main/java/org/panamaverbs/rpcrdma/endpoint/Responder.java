package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * The calls of the peer: their Read chunks, their replies. All methods are called under the endpoint's lock.
 *
 * <p>A call counts against the credits from its receipt until its reply is posted; a peer that exceeds them loses its connection. A step that
 * fails leaves its call where it is: the connection ends, and gives back what the program does not have.
 */
final class Responder {
    /** What a segment of a chunk costs while its call lasts: its place in a list, and the request that uses it. */
    private static final long SEGMENT = 128;
    /** A call with fewer segments is not counted for them. */
    private static final int FEW_SEGMENTS = 16;

    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final Dispatcher dispatcher;
    private final Seat seat;
    private final CallMemory memory;
    /** Those that count against the credits. */
    private final Set<InboundCall> calls = new HashSet<>();

    Responder(Endpoint endpoint, Link link, EndpointOptions options, Dispatcher dispatcher, Seat seat) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        this.dispatcher = dispatcher;
        this.seat = seat;
        memory = new CallMemory(seat);
    }

    /** Answers a header that is no call's. */
    void refuse(int xid, int version, ErrorCode code, int first, int second) {
        ErrorCode said = version == Wire.VERSION_1 && code != ErrorCode.VERSION ? ErrorCode.BAD_XDR : code;
        endpoint.sendError(xid, version, said, first, second);
    }

    void onCall(HeaderReader header, MemorySegment message) {
        if (options.creditsGranted() == 0 || calls.size() >= options.creditsGranted()) {
            link.fail("the peer has more than " + options.creditsGranted() + " calls outstanding, the credits that it was granted");
            return;
        }
        endpoint.counters().callsReceived.increment();
        InboundCall call;
        try {
            // Before anything is kept of it: a header can hold thousands of chunks.
            check(header);
            call = new InboundCall(header.xid(), header.version(), header.chunks());
        } catch (Failure e) {
            refuse(header.xid(), header.version(), e.codeIn(header.version()), e.first, e.second);
            return;
        }
        calls.add(call);
        seat.called();
        try {
            long reply = replyMemory(call);
            if (call.chunks.reads().count() == 0) {
                byte[] payload = new byte[(int) header.payloadLength()];
                MemorySegment copy = MemorySegment.ofArray(payload);
                MemorySegment.copy(message, header.payloadOffset(), copy, 0, payload.length);
                endpoint.counters().bytesCopied.add(payload.length);
                if (reply == 0 || memory.take(call, reply)) {
                    dispatch(call, copy);
                } else {
                    memory.await(call, reply, () -> dispatch(call, copy));
                }
            } else {
                new CallAssembly(endpoint, link, options, call, memory, seat, whole -> arrived(call, whole)).begin(header, message, reply);
            }
        } catch (Failure e) {
            fail(call, e);
        }
    }

    /** What the reply may take of this side's memory: as much as its chunk has room for. */
    private long replyMemory(InboundCall call) {
        ChunkLists chunks = call.chunks;
        long bytes = chunks.hasReply() ? Math.min(chunks.reply().totalLength(), options.messageSize()) : 0;
        long segments = (long) chunks.reads().count() + chunks.reply().count();
        for (int i = 0; i < chunks.writeChunks(); i++) {
            segments += chunks.write(i).count();
        }
        return bytes + (segments < FEW_SEGMENTS ? 0 : segments * SEGMENT);
    }

    /** There may be memory again for calls that wait for it. */
    void onMemory() {
        if (endpoint.isOpen()) {
            memory.pump();
        }
    }

    private void check(HeaderReader header) throws Failure {
        ChunkLists chunks = header.chunks();
        if (header.procedure() == Wire.MSG) {
            // "The value of the rdma_xid field does not match the value of the XID field" is an XDR error (RFC 8166, 4.5.2).
            if (header.payloadXid() != header.xid()) {
                throw new Failure(ErrorCode.BAD_XDR, "the XIDs of header and payload differ");
            }
        } else if (chunks.reads().count() == 0) {
            throw new Failure(ErrorCode.BAD_XDR, "there is neither a payload nor a chunk with it");
        }
        if (chunks.writeChunks() > options.writeChunks()) {
            // "If the responder implementation cannot handle any Write chunks", the reply is to come in a Reply chunk (draft, 7.2.4).
            ErrorCode code = options.writeChunks() == 0 ? ErrorCode.REPLY_RESOURCE : ErrorCode.WRITE_CHUNKS;
            throw new Failure(code, options.writeChunks(), 0, "the call has " + chunks.writeChunks() + " Write chunks");
        }
        for (int i = 0; i < chunks.writeChunks(); i++) {
            limitSegments(chunks.write(i).count());
        }
        limitSegments(chunks.reply().count());
    }

    private void limitSegments(int count) throws Failure {
        if (count > options.chunkSegments()) {
            throw new Failure(ErrorCode.SEGMENTS, options.chunkSegments(), 0, "a chunk has " + count + " segments");
        }
    }

    private void arrived(InboundCall call, MemorySegment whole) {
        if (call.state != InboundCall.State.ARRIVING) {
            return;
        }
        if (whole.byteSize() < 2 * Integer.BYTES || whole.get(Endpoint.INT, 0) != call.xid || whole.get(Endpoint.INT, 4) != Wire.CALL) {
            fail(call, new Failure(ErrorCode.BAD_XDR, "the payload is no call with the header's XID"));
            return;
        }
        if (!areEligible(call.chunks.reads(), whole)) {
            fail(call, new Failure(ErrorCode.BAD_XDR, "a Read chunk holds an argument that is not eligible"));
            return;
        }
        dispatch(call, whole);
    }

    /** A Position Zero chunk may hold any argument. */
    private boolean areEligible(SegmentList reads, MemorySegment whole) {
        for (int i = 0; i < reads.count(); i++) {
            if (reads.position(i) != 0 && !dispatcher.isEligible(whole, Integer.toUnsignedLong(reads.position(i)))) {
                return false;
            }
        }
        return true;
    }

    private void dispatch(InboundCall call, MemorySegment message) {
        MessageXdr xdr = MessageXdr.received(message);
        xdr.attach(call);
        endpoint.later(() -> dispatcher.onCall(call.xid, xdr));
        call.state = InboundCall.State.SERVED;
    }

    /** A call counts against the credits no more. */
    private void remove(InboundCall call) {
        if (calls.remove(call)) {
            seat.answered();
        }
    }

    private void fail(InboundCall call, Failure failure) {
        if (call.state == InboundCall.State.ARRIVING) {
            end(call);
            refuse(call.xid, call.version, failure.codeIn(call.version), failure.first, failure.second);
        }
    }

    /** Sends a reply: Writes first, then the message. */
    void reply(InboundCall call, MessageXdr message, Link.Done done) {
        if (!endpoint.isOpen() || call.state != InboundCall.State.SERVED) {
            drop(call);
            endpoint.later(() -> done.done(false));
            return;
        }
        // "If a Responder is unable to construct and transmit an RPC Reply, the Responder MUST close the connection" (RFC 8166, 4.5.4).
        // Some of it may be posted: what the reply has is given back when the connection has ended.
        call.done = done;
        call.state = InboundCall.State.REPLYING;
        seat.replies().owe();
        Link.Memory send = link.takeSend();
        if (send == null) {
            link.fail("a reply cannot be sent, no memory is left to send it in: the peer takes no messages");
            return;
        }
        ReplyMessage reply = new ReplyMessage(endpoint, link, options, call, memory, message);
        call.reply = reply;
        long length;
        try {
            length = reply.compose(send.segment());
        } catch (Failure e) {
            send.release();
            refuse(call.xid, call.version, e.codeIn(call.version), e.first, e.second);
            finish(call, false);
            return;
        }
        reply.post(send, length, success -> endpoint.step(() -> finish(call, success)));
        call.state = InboundCall.State.SENT;
        remove(call);
        endpoint.counters().repliesSent.increment();
    }

    /** A reply was sent, or will not be. */
    private void finish(InboundCall call, boolean success) {
        if (call.state == InboundCall.State.OVER) {
            return;
        }
        endpoint.later(() -> {
            seat.replies().paid();
            if (call.reply != null) {
                call.reply.release();
            }
            call.done.done(success);
        });
        end(call);
    }

    private void end(InboundCall call) {
        remove(call);
        call.state = InboundCall.State.OVER;
        call.release();
        memory.giveBack(call);
    }

    /** The program will not answer a call. */
    void drop(InboundCall call) {
        if (call.state == InboundCall.State.SERVED) {
            end(call);
        }
    }

    void onEnd() {
        // The program may still read a call: its memory is given back when the program replies.
        memory.clear();
        for (InboundCall call : List.copyOf(calls)) {
            switch (call.state) {
                case ARRIVING -> end(call);
                case REPLYING -> finish(call, false);
                default -> {
                    // The program has it.
                }
            }
        }
    }
}

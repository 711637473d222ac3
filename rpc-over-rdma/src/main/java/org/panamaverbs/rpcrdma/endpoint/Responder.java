package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ChunkLists;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.HeaderWriter;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * The calls of the peer: their Read chunks, their replies. All methods are called under the endpoint's lock.
 *
 * <p>A call counts against the credits from its receipt until its reply is posted; a peer that exceeds them loses its connection.
 */
final class Responder {
    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final Dispatcher dispatcher;
    private final Set<InboundCall> calls = new HashSet<>();
    private final ChunkLists returned = new ChunkLists();
    private boolean ended;

    Responder(Endpoint endpoint, Link link, EndpointOptions options, Dispatcher dispatcher) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        this.dispatcher = dispatcher;
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
        InboundCall call = new InboundCall(header.xid(), header.version(), header.chunks());
        calls.add(call);
        try {
            check(call, header);
            if (call.chunks.reads().count() == 0) {
                byte[] payload = new byte[(int) header.payloadLength()];
                MemorySegment copy = MemorySegment.ofArray(payload);
                MemorySegment.copy(message, header.payloadOffset(), copy, 0, payload.length);
                endpoint.counters().bytesCopied.add(payload.length);
                dispatch(call, copy);
            } else {
                new CallAssembly(endpoint, link, options, call, whole -> arrived(call, whole)).begin(header, message);
            }
        } catch (Failure e) {
            fail(call, e);
        }
    }

    private void check(InboundCall call, HeaderReader header) throws Failure {
        if (header.procedure() == Wire.MSG) {
            // "The value of the rdma_xid field does not match the value of the XID field" is an XDR error (RFC 8166, 4.5.2).
            if (header.payloadXid() != header.xid()) {
                throw new Failure(ErrorCode.BAD_XDR, "the XIDs of header and payload differ");
            }
        } else if (call.chunks.reads().count() == 0) {
            throw new Failure(ErrorCode.BAD_XDR, "there is neither a payload nor a chunk with it");
        }
        for (int i = 0; i < call.chunks.writeChunks(); i++) {
            limitSegments(call.chunks.write(i).count());
        }
        limitSegments(call.chunks.reply().count());
    }

    private void limitSegments(int count) throws Failure {
        if (count > options.chunkSegments()) {
            throw new Failure(ErrorCode.SEGMENTS, options.chunkSegments(), 0, "a chunk has " + count + " segments");
        }
    }

    private void arrived(InboundCall call, MemorySegment whole) {
        if (ended || !calls.contains(call)) {
            call.release();
            return;
        }
        if (whole.byteSize() < 2 * Integer.BYTES || whole.get(Endpoint.INT, 0) != call.xid || whole.get(Endpoint.INT, 4) != Wire.CALL) {
            fail(call, new Failure(ErrorCode.BAD_XDR, "the payload is no call with the header's XID"));
            return;
        }
        dispatch(call, whole);
    }

    private void dispatch(InboundCall call, MemorySegment message) {
        MessageXdr xdr = MessageXdr.received(message);
        xdr.attach(call);
        endpoint.later(() -> dispatcher.onCall(call.xid, xdr));
    }

    private void fail(InboundCall call, Failure failure) {
        if (calls.remove(call)) {
            call.release();
            refuse(call.xid, call.version, failure.codeIn(call.version), failure.first, failure.second);
        }
    }

    /** Sends a reply in the form that the call allows (RFC 8166, 3.5): Writes first, then the message. */
    void reply(InboundCall call, MessageXdr message, Link.Done done) {
        if (call.replied) {
            endpoint.later(() -> done.done(false));
            return;
        }
        call.replied = true;
        if (!calls.remove(call) || ended) {
            call.release();
            endpoint.later(() -> done.done(false));
            return;
        }
        Reply reply = new Reply(call, new Payload(message));
        Link.Memory send = link.takeSend();
        if (send == null) {
            link.fail("no memory is left to send a reply in: the peer takes no messages");
            call.release();
            endpoint.later(() -> done.done(false));
            return;
        }
        Link.Done finish = success -> {
            reply.release();
            call.release();
            done.done(success);
        };
        try {
            long length = reply.compose(send.segment());
            endpoint.counters().repliesSent.increment();
            int invalidate = reply.invalidate();
            if (invalidate != 0) {
                link.sendInvalidate(send, length, invalidate, finish);
            } else {
                link.send(send, length, finish);
            }
        } catch (Failure e) {
            send.release();
            refuse(call.xid, call.version, e.codeIn(call.version), e.first, e.second);
            endpoint.later(() -> finish.done(false));
        } catch (RuntimeException e) {
            send.release();
            // "If a Responder is unable to construct and transmit an RPC Reply, the Responder MUST close the connection" (RFC 8166, 4.5.4).
            link.fail("a reply cannot be sent: " + e.getMessage());
            endpoint.later(() -> finish.done(false));
        }
    }

    void onEnd() {
        // The program may still read a call: its memory is given back when the program replies.
        ended = true;
    }

    /** One reply while it is composed. */
    private final class Reply {
        private final InboundCall call;
        private final Payload payload;
        private final boolean[] reduced;
        private final java.util.List<Link.Memory> sources = new java.util.ArrayList<>();

        Reply(InboundCall call, Payload payload) {
            this.call = call;
            this.payload = payload;
            reduced = new boolean[payload.items()];
        }

        long compose(MemorySegment into) throws Failure {
            returned.clear();
            returned.setDirection(Wire.REPLY);
            writeResults();
            boolean replyOffered = call.chunks.hasReply();
            if (replyOffered) {
                SegmentList chunk = returned.addReply();
                chunk.set(call.chunks.reply());
                for (int i = 0; i < chunk.count(); i++) {
                    chunk.setLength(i, 0);
                }
            }
            long header = HeaderWriter.messageLength(call.version, returned);
            long length = payload.length(reduced);
            if (header + length <= endpoint.sendThreshold()) {
                long end = HeaderWriter.message(into, 0, call.xid, call.version, options.creditsGranted(), Wire.MSG, returned);
                endpoint.counters().bytesCopied.add(length);
                return payload.copy(into, end, reduced);
            }
            if (length > (replyOffered ? call.chunks.reply().totalLength() : 0) || header > endpoint.sendThreshold()) {
                throw new Failure(ErrorCode.REPLY_RESOURCE, (int) length, 0, "the reply has " + length + " bytes");
            }
            Link.Memory buffer = link.takeBuffer(length);
            sources.add(buffer);
            payload.copy(buffer.segment(), 0, reduced);
            endpoint.counters().bytesCopied.add(length);
            write(buffer, length, call.chunks.reply(), returned.reply());
            return HeaderWriter.message(into, 0, call.xid, call.version, options.creditsGranted(), Wire.NOMSG, returned);
        }

        /** Item after item into Write chunk after Write chunk; an empty one asks for its item inline (RFC 8166, 4.3.2). */
        private void writeResults() throws Failure {
            checkRoom();
            for (int i = 0; i < call.chunks.writeChunks(); i++) {
                SegmentList offered = call.chunks.write(i);
                SegmentList chunk = returned.addWrite();
                chunk.set(offered);
                for (int s = 0; s < chunk.count(); s++) {
                    chunk.setLength(s, 0);
                }
                if (i < reduced.length && offered.count() > 0) {
                    reduced[i] = true;
                    MemorySegment item = payload.item(i);
                    if (item.byteSize() > 0) {
                        Link.Memory source = link.source(item);
                        sources.add(source);
                        write(source, item.byteSize(), offered, chunk);
                    }
                }
            }
        }

        /** Before anything is written: does each item fit (draft, 7.2.4: WRITE_RESOURCE). */
        private void checkRoom() throws Failure {
            for (int i = 0; i < Math.min(call.chunks.writeChunks(), reduced.length); i++) {
                SegmentList offered = call.chunks.write(i);
                if (offered.count() > 0 && payload.item(i).byteSize() > offered.totalLength()) {
                    throw new Failure(ErrorCode.WRITE_RESOURCE, i + 1, (int) payload.item(i).byteSize(), "a Write chunk is too small");
                }
            }
        }

        private void write(Link.Memory from, long length, SegmentList offered, SegmentList used) {
            long done = 0;
            for (int i = 0; i < offered.count() && done < length; i++) {
                long part = Math.min(offered.length(i), length - done);
                if (part > 0) {
                    link.write(from, done, part, offered.handle(i), offered.offset(i));
                    used.setLength(i, part);
                    done += part;
                }
            }
            endpoint.counters().bytesPlacedOut.add(length);
        }

        /** The handle to invalidate, or 0: that which version 2 names, or the only one of version 1 if the peer allows it (RFC 8797, 4.1). */
        int invalidate() {
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

        private java.util.List<SegmentList> lists() {
            java.util.List<SegmentList> lists = new java.util.ArrayList<>();
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
}

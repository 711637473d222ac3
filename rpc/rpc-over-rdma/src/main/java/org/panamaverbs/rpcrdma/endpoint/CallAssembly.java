package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.SegmentList;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * Puts a call with Read chunks together (RFC 8166, 3.4.5): each chunk is read straight to its place in one buffer, which then holds the
 * unreduced payload. A Position Zero chunk is the stream that the others belong into (3.5.3).
 */
// Tested by SegmentsTest, ResponderErrorsTest.
final class CallAssembly {
    /** A Read chunk: the segments with one position, in the order of the list. */
    private record Chunk(long position, List<Integer> segments, long length) {
    }

    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final InboundCall call;
    private final CallMemory memory;
    private final Seat seat;
    private final Consumer<MemorySegment> then;
    private boolean failed;

    CallAssembly(Endpoint endpoint, Link link, EndpointOptions options, InboundCall call, CallMemory memory, Seat seat,
            Consumer<MemorySegment> then) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        this.call = call;
        this.memory = memory;
        this.seat = seat;
        this.then = then;
    }

    /** @param beside memory that the call needs beside that of its payload */
    void begin(HeaderReader header, MemorySegment message, long beside) throws Failure {
        List<Chunk> chunks = chunks();
        Chunk zero = chunks.getFirst().position == 0 ? chunks.removeFirst() : null;
        if ((zero != null) != (header.procedure() == Wire.NOMSG)) {
            throw new Failure(ErrorCode.BAD_XDR, "a Position Zero chunk is there if, and only if, there is no payload");
        }
        long base = zero == null ? header.payloadLength() : zero.length;
        long total = total(base, chunks);
        long needed = beside + (zero != null && !chunks.isEmpty() ? total + base : total);
        MemorySegment payload = message.asSlice(header.payloadOffset(), zero == null ? base : 0);
        if (memory.take(call, needed)) {
            assemble(zero, chunks, base, total, payload);
            return;
        }
        MemorySegment kept = MemorySegment.ofArray(payload.toArray(ValueLayout.JAVA_BYTE));
        memory.await(call, needed, () -> assemble(zero, chunks, base, total, kept));
    }

    private void assemble(Chunk zero, List<Chunk> chunks, long base, long total, MemorySegment payload) {
        Link.Memory buffer = link.takeBuffer(total);
        call.buffers.add(buffer);
        if (zero == null) {
            place(buffer, payload, chunks, total);
            readAll(buffer, chunks, () -> then.accept(buffer.segment().asSlice(0, total)));
        } else if (chunks.isEmpty()) {
            zeroPadding(buffer.segment(), zero.length, total);
            readAll(buffer, List.of(zero), () -> then.accept(buffer.segment().asSlice(0, total)));
        } else {
            Link.Memory stream = link.takeBuffer(base);
            call.buffers.add(stream);
            readAll(stream, List.of(zero), () -> {
                place(buffer, stream.segment().asSlice(0, base), chunks, total);
                readAll(buffer, chunks, () -> then.accept(buffer.segment().asSlice(0, total)));
            });
        }
    }

    private List<Chunk> chunks() throws Failure {
        SegmentList reads = call.chunks.reads();
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < reads.count(); i++) {
            long position = Integer.toUnsignedLong(reads.position(i));
            if ((position & 3) != 0) {
                throw new Failure(ErrorCode.BAD_XDR, "the position of a Read chunk is " + position + ", no multiple of 4");
            }
            Chunk chunk = chunks.stream().filter(each -> each.position == position).findFirst().orElse(null);
            if (chunk == null) {
                limitChunks(position, chunks);
                chunks.add(new Chunk(position, new ArrayList<>(List.of(i)), reads.length(i)));
            } else {
                chunks.remove(chunk);
                chunk.segments.add(i);
                chunks.add(new Chunk(position, chunk.segments, chunk.length + reads.length(i)));
            }
        }
        for (Chunk chunk : chunks) {
            if (chunk.segments.size() > options.chunkSegments()) {
                throw new Failure(ErrorCode.SEGMENTS, options.chunkSegments(), 0,
                        "a Read chunk has " + chunk.segments.size() + " segments");
            }
        }
        chunks.sort(Comparator.comparingLong(Chunk::position));
        return chunks;
    }

    /** A Position Zero chunk is not one of those that the limit is for: it holds no argument (draft, 7.2.4). */
    private void limitChunks(long position, List<Chunk> chunks) throws Failure {
        long count = chunks.stream().filter(chunk -> chunk.position != 0).count();
        if (position != 0 && count == options.readChunks()) {
            throw new Failure(ErrorCode.READ_CHUNKS, options.readChunks(), 0, "the call has more than " + count + " Read chunks");
        }
    }

    /** The length of the unreduced payload; checks that each chunk lies within it, and behind the one before. */
    private long total(long base, List<Chunk> chunks) throws Failure {
        long before = 0;
        long least = 0;
        for (Chunk chunk : chunks) {
            long streamAt = chunk.position - before;
            if (streamAt < least || streamAt > base) {
                throw new Failure(ErrorCode.BAD_XDR,
                        "a Read chunk at position " + chunk.position + " is not within the payload, or within another");
            }
            least = streamAt;
            before += MessageXdr.padded(chunk.length);
        }
        long total = base + before;
        if (total > options.messageSize()) {
            throw new Failure(call.version == Wire.VERSION_2 ? ErrorCode.SYSTEM : ErrorCode.BAD_XDR,
                    "the call has " + total + " bytes, more than " + options.messageSize());
        }
        return total;
    }

    /** Copies the stream around the places of the chunks, and zeroes their padding. */
    private void place(Link.Memory buffer, MemorySegment stream, List<Chunk> chunks, long total) {
        long from = 0;
        long at = 0;
        for (Chunk chunk : chunks) {
            long part = chunk.position - at;
            MemorySegment.copy(stream, from, buffer.segment(), at, part);
            from += part;
            at = chunk.position + MessageXdr.padded(chunk.length);
            zeroPadding(buffer.segment(), chunk.position + chunk.length, at);
        }
        MemorySegment.copy(stream, from, buffer.segment(), at, total - at);
        endpoint.counters().bytesCopied.add(stream.byteSize());
    }

    private static void zeroPadding(MemorySegment memory, long from, long until) {
        memory.asSlice(from, until - from).fill((byte) 0);
    }

    private void readAll(Link.Memory into, List<Chunk> chunks, Runnable whole) {
        SegmentList reads = call.chunks.reads();
        // The count holds one more until all are posted.
        call.readsLeft = 1;
        for (Chunk chunk : chunks) {
            long at = chunk.position;
            for (int i : chunk.segments) {
                long length = reads.length(i);
                if (length > 0) {
                    call.readsLeft++;
                    seat.input().owe();
                    endpoint.counters().bytesPlacedIn.add(length);
                    link.read(into, at, length, reads.handle(i), reads.offset(i), success -> {
                        seat.input().paid();
                        endpoint.step(() -> done(success, whole));
                    });
                }
                at += length;
            }
        }
        done(true, whole);
    }

    private void done(boolean success, Runnable whole) {
        failed |= !success;
        // A Read that failed ends the connection, and with it this call.
        if (--call.readsLeft == 0 && !failed) {
            whole.run();
        }
    }
}

package org.panamaverbs.softiwarp.qp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.ddp.Segmentation;
import org.panamaverbs.softiwarp.memory.Crc32cView;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.rdmap.Sender;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The sending direction: cuts messages into FPDUs and describes them, many at a time, for one gathering write: headers, padding and CRCs
 * from a buffer of its own, payload straight from the caller's memory.
 *
 * <p>Some payload is copied into that buffer instead: a short one, since a part of its own costs more than the copy; and one that may
 * change, or vanish, between the checksum and the write: the answer to a Read (another peer may be writing there, which must not break
 * this connection) and a mapped file (another process may cut it short, which would stop the JVM inside the checksum).
 */
public final class Outbound {
    /** Payloads up to here are copied; so are all requests posted inline. */
    public static final int COPIED_PAYLOAD = 512;
    /** How much one write carries: more would have left the cache between the checksum and the write. */
    private static final long BATCH = 256 * 1024;
    /** Enough for one short message at a time; an idle connection needs no more. */
    private static final int FIRST_BUFFER = 256;
    private static final int SMALL_BUFFER = 16 * 1024;
    /** The most that one write carries, the FPDU that goes beyond a batch included: where all payload is copied each takes as many as others. */
    private static final int LARGE_BUFFER = (int) BATCH + 64 * 1024;
    /** The most that an FPDU needs beside its payload. */
    private static final int OVERHEAD = Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE + Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE;
    private static final int MAXIMUM_PARTS = 64;
    private static final int FEW_ENDS = 8;

    private final Sender sender;
    private final SendQueue requests;
    private final Counters counters;
    private final boolean crcEnabled;
    private final int mulpdu;
    private final int elements;
    private final IntFunction<MemorySegment> memory;
    private final CRC32C crc = new CRC32C();
    private final IoVector vector = new IoVector(MAXIMUM_PARTS);

    private MemorySegment buffer;
    private Crc32cView window;
    private int used;
    private boolean inMessage;
    private boolean badMemory;
    private boolean overrun;

    /** Stream offsets: where the described bytes end, and where the sent ones do. */
    private long described;
    private long sent;
    /** Per request that is described and not sent, at its number modulo the length: where its last byte ends in the stream. */
    private long[] ends;
    /** Requests whose FPDUs are all described, and those whose bytes are all sent. */
    private long requestsDescribed;
    private long requestsSent;

    Outbound(Sender sender, SendQueue requests, int slots, StreamOptions options, Counters counters, SegmentAllocator memory) {
        this.sender = sender;
        this.requests = requests;
        this.counters = counters;
        this.crcEnabled = options.crc();
        this.mulpdu = options.mulpdu();
        this.elements = Math.max(1, options.sendElements());
        this.memory = size -> memory.allocate(size, 64);
        this.ends = new long[Math.min(FEW_ENDS, slots)];
        useBuffer(FIRST_BUFFER);
    }

    private void useBuffer(int size) {
        buffer = memory.apply(size);
        window = new Crc32cView(buffer);
    }

    /**
     * Describes the next bytes to send.
     *
     * @return empty where there are none now; what is in it stays until {@link #onSent}
     */
    IoVector poll() {
        if (vector.size() == 0) {
            used = 0;
        }
        while (!badMemory && vector.bytes() < BATCH && vector.room() >= elements + 2) {
            if (!inMessage && !sender.next()) {
                break;
            }
            inMessage = true;
            if (sender.kind() == Sender.Kind.LOCAL_INVALIDATE ? !invalidate() : !describeSegment()) {
                break;
            }
        }
        return vector;
    }

    /** Does what sends nothing, as long as nothing may be sent. */
    IoVector pollLocal() {
        while (!badMemory && !inMessage && sender.nextLocal()) {
            inMessage = true;
            invalidate();
        }
        return vector;
    }

    /** Does a request that sends nothing; all before it are done. {@code false} where it failed. */
    private boolean invalidate() {
        if (!sender.invalidate()) {
            return fail();
        }
        inMessage = false;
        requestsDescribed = sender.request() + 1;
        requestsSent = requestsDescribed;
        requests.done(sender.request(), CompletionStatus.SUCCESS, 0);
        overrun |= !requests.retireDone();
        return true;
    }

    /** What is described and not yet sent. */
    IoVector vector() {
        return vector;
    }

    /** Describes one FPDU; {@code false} where the buffer has no room for it now, or its memory cannot be used. */
    private boolean describeSegment() {
        SgeCursor source = sender.source();
        int headerSize = sender.isTagged() ? Ddp.TAGGED_SIZE : Ddp.UNTAGGED_SIZE;
        long remaining = source.remaining();
        int payload = Segmentation.payload(remaining, mulpdu, headerSize);
        boolean copied = payload <= COPIED_PAYLOAD || crcEnabled
                && (sender.kind() == Sender.Kind.READ_RESPONSE || source.isMapped(payload));
        if (!hasRoom(OVERHEAD + (copied ? payload : 0))) {
            return false;
        }
        boolean last = payload == remaining;
        int start = used;
        int ulpdu = headerSize + payload;
        Fpdu.length(buffer, start, ulpdu);
        putHeader(start + Fpdu.LENGTH_SIZE, last, source.position());
        int at = start + Fpdu.LENGTH_SIZE + headerSize;
        if (copied) {
            if (!source.get(buffer, at, payload)) {
                return fail();
            }
            at += payload;
            finish(start, at, true, ulpdu);
        } else {
            if (crcEnabled) {
                crc.reset();
                window.update(crc, start, at - start);
                if (!source.update(crc, payload)) {
                    return fail();
                }
            }
            vector.add(buffer, start, at - start);
            source.describe(vector, payload);
            source.advance(payload);
            finish(start, at, false, ulpdu);
        }
        if (sender.kind() == Sender.Kind.REQUEST || sender.kind() == Sender.Kind.READ_RESPONSE) {
            counters.bytesSent += payload;
        }
        counters.segmentsSent++;
        described += Fpdu.size(ulpdu);
        if (last) {
            endMessage();
        }
        return true;
    }

    private boolean hasRoom(int needed) {
        if (buffer.byteSize() - used >= needed) {
            return true;
        }
        boolean first = buffer.byteSize() < SMALL_BUFFER;
        // The first one is left at once, even with FPDUs in it: the vector knows where they are.
        if (first || used == 0 && buffer.byteSize() < LARGE_BUFFER) {
            useBuffer(first && needed <= SMALL_BUFFER ? SMALL_BUFFER : LARGE_BUFFER);
            used = 0;
            return true;
        }
        return false;
    }

    private void putHeader(int at, boolean last, long position) {
        if (sender.isTagged()) {
            Ddp.putTagged(buffer, at, last, sender.ulp(), sender.stag(), sender.taggedOffset() + position);
        } else {
            Ddp.putUntagged(buffer, at, last, sender.ulp(), sender.word(), sender.queue(), sender.messageSequence(), (int) position);
        }
    }

    /** Puts padding and CRC. A copied FPDU is one stretch from {@code start}; of another, the checksum has all but the padding. */
    private void finish(int start, int trailer, boolean copied, int ulpdu) {
        int pad = Fpdu.pad(ulpdu);
        for (int i = 0; i < pad; i++) {
            buffer.set(ValueLayout.JAVA_BYTE, trailer + i, (byte) 0);
        }
        int value = 0;
        if (crcEnabled) {
            if (copied) {
                crc.reset();
                window.update(crc, start, trailer + pad - start);
            } else {
                window.update(crc, trailer, pad);
            }
            value = (int) crc.getValue();
        }
        Fpdu.crc(buffer, trailer + pad, value);
        used = trailer + pad + Fpdu.CRC_SIZE;
        int from = copied ? start : trailer;
        vector.add(buffer, from, used - from);
    }

    private void endMessage() {
        inMessage = false;
        switch (sender.kind()) {
            case REQUEST, READ_REQUEST -> {
                if (sender.request() - requestsSent >= ends.length) {
                    growEnds();
                }
                ends[(int) sender.request() & ends.length - 1] = described;
                requestsDescribed = sender.request() + 1;
            }
            default -> {
                // Nothing completes.
            }
        }
    }

    /** At most to the number of slots that the send queue has, as no more requests are under way. */
    private void growEnds() {
        long[] more = new long[2 * ends.length];
        for (long request = requestsSent; request < requestsDescribed; request++) {
            more[(int) request & more.length - 1] = ends[(int) request & ends.length - 1];
        }
        ends = more;
    }

    private boolean fail() {
        badMemory = true;
        switch (sender.kind()) {
            case REQUEST -> requests.done(sender.request(), CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
            case LOCAL_INVALIDATE -> requests.done(sender.request(), CompletionStatus.LOCAL_QP_OPERATION_ERROR, 0);
            default -> {
                // The peer's Read fails with the connection.
            }
        }
        return false;
    }

    /** Whether a request's or a Read's memory turned out unusable: the connection cannot go on. */
    boolean isBroken() {
        return badMemory;
    }

    /** The error to terminate with, where broken before any byte of the FPDU was described. */
    int brokenCode() {
        return sender.kind() == Sender.Kind.READ_RESPONSE ? TerminateCode.RDMA_INVALID_STAG : TerminateCode.RDMA_STREAM_CATASTROPHIC;
    }

    /** Goes on after {@link #isBroken()}, with the message dropped: only a Terminate follows. */
    void dropMessage() {
        badMemory = false;
        inMessage = false;
    }

    /** Bytes were sent. */
    void onSent(long count) {
        counters.writeCalls++;
        vector.consume(count);
        sent += count;
        boolean done = false;
        while (requestsSent < requestsDescribed && ends[(int) requestsSent & ends.length - 1] <= sent) {
            if (requests.operation(requestsSent) != SendQueue.Operation.READ) {
                requests.done(requestsSent, CompletionStatus.SUCCESS, 0);
                done = true;
            }
            requestsSent++;
        }
        overrun |= done && !requests.retireDone();
    }

    /** Whether a completion found its queue full. */
    boolean isOverrun() {
        return overrun;
    }

    /** Whether all that was described is sent. */
    boolean isDrained() {
        return vector.size() == 0;
    }
}

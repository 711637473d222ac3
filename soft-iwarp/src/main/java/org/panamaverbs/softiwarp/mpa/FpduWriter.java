package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.Crc32cView;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;

/**
 * Puts DDP segments into FPDUs (RFC 5044, 4) and describes many of them at a time for one gathering write: headers, padding and CRCs from
 * a buffer of its own, payload straight from the caller's memory.
 *
 * <p>It copies some payload into that buffer instead: a short one, since a part of its own costs more than the copy; and, if CRCs are
 * enabled, one that may change or vanish between the checksum and the write. Such is the answer to a Read, since another peer may be
 * writing there and must not break this connection, and a mapped file, since another process may cut it short, which would stop the JVM
 * inside the checksum.
 *
 * <p>{@link #cut()} ends transmission at the end of the FPDU under way. All belongs to the thread that transmits.
 */
public final class FpduWriter implements LowerLayer {
    /** Payloads up to here are copied; so are all requests posted inline. */
    public static final int COPIED_PAYLOAD = 512;
    /** Bytes that one write carries, before the FPDU that goes beyond. */
    static final int BATCH = 256 * 1024;
    /** What a buffer of the pool holds: a batch, and the FPDU that goes beyond. */
    public static final int LARGE_BUFFER = BATCH + 64 * 1024;
    /** FPDUs that one write carries. */
    private static final int MOST_FPDUS = 1024;
    /** Enough for one short message at a time; an idle connection needs no more. */
    private static final int FIRST_BUFFER = 256;
    private static final int SMALL_BUFFER = 16 * 1024;
    /** Holds the longest FPDU whole; used while the pool has no buffer. */
    private static final int SINGLE_BUFFER = 66 * 1024;
    /** The most that an FPDU needs beside its payload. */
    private static final int OVERHEAD = Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE + Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE;
    private static final int MAXIMUM_PARTS = 64;
    private static final int FEW_FPDUS = 8;

    private final boolean crcEnabled;
    private final int mulpdu;
    private final int elements;
    private final SegmentAllocator memory;
    private final BufferPool pool;
    private final CRC32C crc = new CRC32C();
    private final IoVector vector = new IoVector(MAXIMUM_PARTS);

    private MemorySegment buffer;
    private Crc32cView view;
    /** The stream's own buffer, while {@link #buffer} is one of the pool; else {@code null}. */
    private Crc32cView own;
    private int used;

    /** The FPDU under way: where it starts in the buffer, its header's and payload's length, and whether its payload is copied. */
    private int start;
    private int headerSize;
    private int payload;
    private boolean copied;

    /** Stream offsets: where the described bytes end, where the sent ones do, and where the last FPDU that is sent whole does. */
    private long described;
    private long sent;
    private long sentWhole;
    /** Where each described FPDU that is not sent whole ends, counted from {@link #base}: [first, last). */
    private int[] ends = new int[FEW_FPDUS];
    private long base;
    private int first;
    private int last;

    /**
     * Makes the start of a stream.
     *
     * @param crcEnabled whether FPDUs carry a CRC that counts
     * @param mulpdu     the longest DDP segment, header included
     * @param elements   the most parts of a message's memory
     * @param memory     gives native memory that any thread may use
     * @param pool       large buffers of {@link #LARGE_BUFFER} bytes
     */
    public FpduWriter(boolean crcEnabled, int mulpdu, int elements, SegmentAllocator memory, BufferPool pool) {
        this.crcEnabled = crcEnabled;
        this.mulpdu = mulpdu;
        this.elements = Math.max(1, elements);
        this.memory = memory;
        this.pool = pool;
        use(new Crc32cView(memory.allocate(FIRST_BUFFER, 64)));
    }

    private void use(Crc32cView next) {
        view = next;
        buffer = next.segment();
        used = 0;
    }

    @Override
    public int mulpdu() {
        return mulpdu;
    }

    @Override
    public long beginSegment(int header, int length, SgeCursor source, boolean stable) {
        if (vector.bytes() >= BATCH || vector.room() < elements + 2 || last - first == MOST_FPDUS) {
            return NO_ROOM;
        }
        copied = length <= COPIED_PAYLOAD || crcEnabled && (!stable || source.isMapped());
        if (!hasRoom(OVERHEAD + (copied ? length : 0))) {
            return NO_ROOM;
        }
        start = used;
        headerSize = header;
        payload = length;
        Fpdu.length(buffer, start, header + length);
        return start + Fpdu.LENGTH_SIZE;
    }

    /** Nothing is described: begins at the start of the buffer again, and gives one of the pool back. */
    private void restart() {
        used = 0;
        first = 0;
        last = 0;
        base = described;
        if (own != null) {
            pool.giveBack(view);
            use(own);
            own = null;
        }
    }

    private boolean hasRoom(int needed) {
        if (buffer.byteSize() - used >= needed) {
            return true;
        }
        if (buffer.byteSize() < SMALL_BUFFER) {
            // The first one is left at once, even with FPDUs in it: the vector knows where they are.
            use(new Crc32cView(memory.allocate(SMALL_BUFFER, 64)));
            return hasRoom(needed);
        }
        if (used > 0 || buffer.byteSize() >= SINGLE_BUFFER) {
            return false;
        }
        Crc32cView large = pool.take();
        if (large == null) {
            // The buffer of its own grows, once.
            use(new Crc32cView(memory.allocate(SINGLE_BUFFER, 64)));
        } else {
            own = view;
            use(large);
        }
        return true;
    }

    @Override
    public MemorySegment headers() {
        return buffer;
    }

    @Override
    public boolean endSegment(SgeCursor source) {
        int at = start + Fpdu.LENGTH_SIZE + headerSize;
        if (copied) {
            if (!source.get(buffer, at, payload)) {
                return false;
            }
            at += payload;
        } else {
            if (crcEnabled) {
                crc.reset();
                view.update(crc, start, at - start);
                if (!source.update(crc, payload)) {
                    return false;
                }
            }
            vector.add(buffer, start, at - start);
            source.describe(vector, payload);
            source.advance(payload);
        }
        finish(at);
        return true;
    }

    /** Puts padding and CRC. A copied FPDU is one stretch from its start; of another one, the checksum has all but the padding. */
    private void finish(int trailer) {
        int ulpdu = headerSize + payload;
        int pad = Fpdu.pad(ulpdu);
        for (int i = 0; i < pad; i++) {
            buffer.set(ValueLayout.JAVA_BYTE, trailer + i, (byte) 0);
        }
        int value = 0;
        if (crcEnabled) {
            if (copied) {
                crc.reset();
                view.update(crc, start, trailer + pad - start);
            } else {
                view.update(crc, trailer, pad);
            }
            value = (int) crc.getValue();
        }
        Fpdu.crc(buffer, trailer + pad, value);
        used = trailer + pad + Fpdu.CRC_SIZE;
        int from = copied ? start : trailer;
        vector.add(buffer, from, used - from);
        described += Fpdu.size(ulpdu);
        if (last == ends.length) {
            makeRoom();
        }
        ends[last++] = (int) (described - base);
    }

    private void makeRoom() {
        if (first > 0) {
            System.arraycopy(ends, first, ends, 0, last - first);
            last -= first;
            first = 0;
        } else {
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
    }

    /** What is described and not sent; it stays until {@link #onSent}. */
    public IoVector vector() {
        return vector;
    }

    /** The stream offset at which the last FPDU described ends. */
    public long described() {
        return described;
    }

    /** The stream offset at which the bytes sent end. */
    public long sent() {
        return sent;
    }

    /**
     * Bytes of {@link #vector()} were sent.
     *
     * @param count 1 or more
     */
    public void onSent(long count) {
        vector.consume(count);
        sent += count;
        if (vector.size() == 0) {
            sentWhole = sent;
            restart();
            return;
        }
        while (first < last && base + ends[first] <= sent) {
            sentWhole = base + ends[first++];
        }
    }

    /** Gives up all that is described. */
    public void abandon() {
        vector.clear();
        described = sent;
        restart();
    }

    /**
     * Ends transmission at the end of the FPDU under way: drops all FPDUs of which no byte is sent, and copies what is left of the one under
     * way, so that the callers' memory is used no more. Further segments may follow.
     *
     * @return {@code false} if memory of that FPDU cannot be used any more: nothing can follow it
     */
    public boolean cut() {
        long left = sent == sentWhole ? 0 : base + ends[first] - sent;
        vector.truncate(left);
        described = sent + left;
        last = left == 0 ? first : first + 1;
        if (left == 0) {
            restart();
            return true;
        }
        if (vector.isOwn()) {
            return true;
        }
        MemorySegment copy = memory.allocate(left, 1);
        boolean whole = vector.copyTo(copy);
        vector.clear();
        if (whole) {
            vector.add(copy, 0, left);
        }
        return whole;
    }
}

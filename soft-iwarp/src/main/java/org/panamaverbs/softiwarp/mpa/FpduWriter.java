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
import org.panamaverbs.softiwarp.wire.Marker;

/**
 * Puts DDP segments into FPDUs (RFC 5044, 4) and describes many of them at a time for one gathering write. Headers, padding and CRCs come
 * from a buffer of the writer, and payload comes straight from the caller's memory.
 *
 * <p>The writer copies some payload into its buffer first:
 * <ul>
 * <li>Short payload, since the copy costs less than one more part in the write.
 * <li>If CRCs are enabled, the answer to a Read, and payload in a region that peers may change. A peer may change that memory between the
 * checksum and the write, and must not break this connection.
 * <li>If CRCs are enabled, payload in a mapped file. If another process truncated the file during a checksum, the JVM would crash.
 * <li>If the peer asks for Markers, all payload: a Marker follows every 508 bytes, and a copy costs less than such short parts. A
 * program in C over loopback measured the sender's processor time for 64,516 bytes of payload: 6.9 us with the copy and one part, 8.7 us
 * with 254 parts and no copy, 5.5 us without Markers. Without the copy, the CRC would also be computed in 254 pieces.
 * </ul>
 *
 * <p>{@link #cut()} ends transmission at the end of the FPDU under way. Only the transmitting thread uses the writer.
 */
public final class FpduWriter implements LowerLayer {
    /** The bytes of one write, without the FPDU that exceeds them. */
    static final int BATCH = 256 * 1024;
    /** Size of a buffer of the pool in bytes: it holds a batch, and the FPDU that exceeds it. */
    public static final int LARGE_BUFFER = BATCH + 64 * 1024;
    /** The most FPDUs of one write. */
    private static final int MOST_FPDUS = 1024;
    /** Enough for one short message at a time; an idle connection needs no more. */
    private static final int FIRST_BUFFER = 256;
    private static final int SMALL_BUFFER = 16 * 1024;
    /** Holds the longest FPDU whole; used when the pool has no free buffer. */
    private static final int SINGLE_BUFFER = 66 * 1024;
    /** The most bytes that an FPDU needs besides its payload. */
    private static final int OVERHEAD = Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE + Fpdu.MAXIMUM_PAD + Fpdu.CRC_SIZE;
    private static final int MAXIMUM_PARTS = 64;
    private static final int FEW_FPDUS = 8;

    private final boolean crcEnabled;
    private final boolean markers;
    private int mulpdu;
    private final int elements;
    private final SegmentAllocator memory;
    private final BufferPool pool;
    private final CRC32C crc = new CRC32C();
    private final IoVector vector = new IoVector(MAXIMUM_PARTS);

    private MemorySegment buffer;
    private Crc32cView view;
    /** The stream's own buffer while {@link #buffer} is from the pool; else {@code null}. */
    private Crc32cView own;
    private int used;

    /**
     * The FPDU under way: its start in the buffer, the lengths of its header and payload, whether its payload is copied, and whether its payload
     * can still change.
     */
    private int start;
    private int headerSize;
    private int payload;
    private boolean copied;
    private boolean changeable;

    /** Stream offsets: the end of the described bytes, the end of the sent bytes, and the end of the last FPDU that is sent whole. */
    private long described;
    private long sent;
    private long sentWhole;
    /** The end of the last FPDU whose payload was not copied and can still change. */
    private long fixedFrom;
    /** The ends of the described FPDUs that are not sent whole, as offsets from {@link #base}; in use is [first, last). */
    private int[] ends = new int[FEW_FPDUS];
    private long base;
    private int first;
    private int last;

    /**
     * Makes a writer at the start of a stream.
     *
     * @param crcEnabled whether FPDUs carry CRCs; else 0 takes their place
     * @param markers    whether the peer asks for Markers (RFC 5044, 4.3)
     * @param mulpdu     the longest DDP segment in bytes, header included
     * @param elements   the most parts of a message's memory
     * @param memory     allocates native memory that any thread may use
     * @param pool       holds buffers of {@link #LARGE_BUFFER} bytes
     */
    public FpduWriter(boolean crcEnabled, boolean markers, int mulpdu, int elements, SegmentAllocator memory, BufferPool pool) {
        this.crcEnabled = crcEnabled;
        this.markers = markers;
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

    /** Changes the longest DDP segment, because the size of the path's TCP segments has changed (RFC 5044, 4.5). */
    public void mulpdu(int bytes) {
        mulpdu = bytes;
    }

    @Override
    public long beginSegment(int header, int length, SgeCursor source, boolean stable) {
        if (isFull()) {
            return NO_ROOM;
        }
        copied = length <= COPIED_PAYLOAD || markers || crcEnabled && (!stable || source.isMapped() || source.isExposed());
        changeable = !copied && !stable;
        if (!hasRoom(OVERHEAD + (copied ? length : 0) + (markers ? markerBytes(header + length) : 0))) {
            return NO_ROOM;
        }
        return begin(header, length);
    }

    @Override
    public long beginCopied(int header, int length) {
        if (markers || header + length > mulpdu || isFull() || !hasRoom(OVERHEAD + length)) {
            return NO_ROOM;
        }
        copied = true;
        changeable = false;
        return begin(header, length);
    }

    private boolean isFull() {
        return vector.bytes() >= BATCH || vector.room() < elements + 2 || last - first == MOST_FPDUS;
    }

    private long begin(int header, int length) {
        start = used;
        headerSize = header;
        payload = length;
        Fpdu.length(buffer, start, header + length);
        return (long) start + Fpdu.LENGTH_SIZE;
    }

    /** Bytes of the Markers in the next FPDU. */
    private int markerBytes(int ulpdu) {
        return Marker.SIZE * Marker.count(Marker.distance(described), Fpdu.size(ulpdu));
    }

    /** Nothing is described any more: starts again at the beginning of the buffer, and gives a buffer of the pool back. */
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
            // The first buffer is replaced at once, even if it holds FPDUs: the vector keeps that buffer.
            use(new Crc32cView(memory.allocate(SMALL_BUFFER, 64)));
            return hasRoom(needed);
        }
        if (used > 0 || buffer.byteSize() >= SINGLE_BUFFER) {
            return false;
        }
        Crc32cView large = pool.take();
        if (large == null) {
            // The own buffer grows, once.
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

    @Override
    public long endCopied() {
        finish(start + Fpdu.LENGTH_SIZE + headerSize + payload);
        return described;
    }

    /**
     * Writes padding, Markers and CRC. A copied FPDU is contiguous in the buffer; the checksum of any other FPDU lacks only the padding.
     */
    private void finish(int trailer) {
        int pad = Fpdu.pad(headerSize + payload);
        // One store for any padding: the rest of it is a part of what follows.
        buffer.set(ValueLayout.JAVA_INT_UNALIGNED, trailer, 0);
        int end = trailer + pad;
        if (markers) {
            end += insertMarkers(end);
        }
        int value = 0;
        if (crcEnabled) {
            if (copied) {
                crc.reset();
                view.update(crc, start, end - start);
            } else {
                view.update(crc, trailer, pad);
            }
            value = (int) crc.getValue();
        }
        Fpdu.crc(buffer, end, value);
        used = end + Fpdu.CRC_SIZE;
        int from = copied ? start : trailer;
        vector.add(buffer, from, used - from);
        described += copied ? used - start : Fpdu.size(headerSize + payload);
        if (changeable) {
            fixedFrom = described;
        }
        if (last == ends.length) {
            makeRoom();
        }
        ends[last++] = (int) (described - base);
    }

    /** Inserts Markers into the FPDU between {@link #start} and {@code end}; returns the number of bytes inserted. */
    private int insertMarkers(int end) {
        int distance = Marker.distance(described);
        int count = Marker.count(distance, end - start + Fpdu.CRC_SIZE);
        Marker.insert(buffer, start, end - start, distance, count);
        return Marker.SIZE * count;
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

    /** The bytes that are described and not sent. The content stays until {@link #onSent}. */
    public IoVector vector() {
        return vector;
    }

    /** The stream offset at the end of the last described FPDU. */
    public long described() {
        return described;
    }

    /** Whether all described payload that is not stable is copied or sent: a change of that memory no longer reaches the peer. */
    public boolean isFixed() {
        return sent >= fixedFrom;
    }

    /** The stream offset at the end of the sent bytes. */
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

    /** Drops everything that is described. */
    public void abandon() {
        vector.clear();
        described = sent;
        restart();
    }

    /**
     * Ends transmission at the end of the FPDU under way: drops all FPDUs of which no byte is sent, and copies the rest of the FPDU under
     * way, so that the callers' memory is no longer in use. Further segments may follow.
     *
     * @return {@code false} if memory of that FPDU can no longer be used: then nothing can follow
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

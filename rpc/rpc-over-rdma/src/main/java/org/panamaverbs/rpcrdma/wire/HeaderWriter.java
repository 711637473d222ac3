package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/** Writes transport headers, of either version; each method returns the offset behind the bytes that it wrote. */
public final class HeaderWriter {
    private static final int SEGMENT_LENGTH = 16;

    private HeaderWriter() {
    }

    /** The fixed fields (RFC 8166, 4.2). */
    public static long fixed(MemorySegment into, long offset, int xid, int version, int credits, int procedure) {
        into.set(Wire.INT, offset, xid);
        into.set(Wire.INT, offset + 4, version);
        into.set(Wire.INT, offset + 8, credits);
        into.set(Wire.INT, offset + 12, procedure);
        return offset + Wire.FIXED_LENGTH;
    }

    /** A header of MSG or NOMSG: the fixed fields and the chunk lists. */
    public static long message(MemorySegment into, long offset, int xid, int version, int credits, int procedure, ChunkLists chunks) {
        long at = fixed(into, offset, xid, version, credits, procedure);
        if (version == Wire.VERSION_2) {
            at = word(into, at, chunks.direction());
            at = word(into, at, chunks.invalidateHandle());
        }
        SegmentList reads = chunks.reads();
        for (int i = 0; i < reads.count(); i++) {
            at = word(into, at, 1);
            at = word(into, at, reads.position(i));
            at = segment(into, at, reads, i);
        }
        at = word(into, at, 0);
        for (int i = 0; i < chunks.writeChunks(); i++) {
            at = word(into, at, 1);
            at = segments(into, at, chunks.write(i));
        }
        at = word(into, at, 0);
        if (!chunks.hasReply()) {
            return word(into, at, 0);
        }
        at = word(into, at, 1);
        return segments(into, at, chunks.reply());
    }

    /** How long {@link #message} makes a header. */
    public static long messageLength(int version, ChunkLists chunks) {
        long length = (long) Wire.SHORTEST_MESSAGE + (version == Wire.VERSION_2 ? 8 : 0);
        length += (long) chunks.reads().count() * (8 + SEGMENT_LENGTH);
        for (int i = 0; i < chunks.writeChunks(); i++) {
            length += 8 + (long) chunks.write(i).count() * SEGMENT_LENGTH;
        }
        return chunks.hasReply() ? length + 4 + (long) chunks.reply().count() * SEGMENT_LENGTH : length;
    }

    /** A header of ERROR; the numbers that the code does not have are ignored. */
    public static long error(MemorySegment into, long offset, int xid, int version, int credits, ErrorCode code, int first, int second) {
        long at = fixed(into, offset, xid, version, credits, Wire.ERROR);
        at = word(into, at, code.value());
        if (code.words() > 0) {
            at = word(into, at, first);
        }
        return code.words() > 1 ? word(into, at, second) : at;
    }

    private static long segments(MemorySegment into, long offset, SegmentList segments) {
        long at = word(into, offset, segments.count());
        for (int i = 0; i < segments.count(); i++) {
            at = segment(into, at, segments, i);
        }
        return at;
    }

    private static long segment(MemorySegment into, long offset, SegmentList segments, int index) {
        into.set(Wire.INT, offset, segments.handle(index));
        into.set(Wire.INT, offset + 4, (int) segments.length(index));
        into.set(Wire.LONG, offset + 8, segments.offset(index));
        return offset + SEGMENT_LENGTH;
    }

    static long word(MemorySegment into, long offset, int value) {
        into.set(Wire.INT, offset, value);
        return offset + Integer.BYTES;
    }
}

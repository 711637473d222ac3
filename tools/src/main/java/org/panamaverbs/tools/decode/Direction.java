package org.panamaverbs.tools.decode;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bytes of one direction of a TCP connection, in their order. Bytes that the file lacks are a hole: zeros, marked as missing.
 * The caller takes bytes, or gives up by {@link #lose}: the buffer itself has no limit.
 */
final class Direction {
    /** The longest hole: longer than any frame of MPA, so that a reader cannot follow the stream behind it. */
    private static final int LONGEST_HOLE = 1 << 17;
    /** The memory in bytes that a waiting segment takes besides its payload. */
    private static final int PIECE_OVERHEAD = 128;
    /** A buffer of at most so many bytes stays when it is empty. */
    private static final int SMALL_BUFFER = 1 << 11;
    private static final byte[] NONE = {};

    /** Bytes that a segment added behind earlier bytes; some of them may be missing. */
    private record Piece(byte[] bytes, int length) {
        /** Whether this has more than another one at the same place. */
        boolean exceeds(Piece other) {
            return length > other.length || length == other.length && bytes.length > other.bytes.length;
        }

        int held() {
            return bytes.length + PIECE_OVERHEAD;
        }
    }

    private final int mostWaiting;
    private boolean synchronised;
    /** The sequence number of the first byte of the stream. */
    private int initial;
    /** The offset of the next expected byte, from the first byte of the stream. */
    private long next;
    /** Its sequence number. */
    private int sequence;
    private final TreeMap<Long, Piece> waiting = new TreeMap<>();
    private long waitingBytes;

    private byte[] buffer = NONE;
    /** The index of the first byte in the buffer that was not taken, its stream offset, and the number of such bytes. */
    private int first;
    private long start;
    private int size;
    private long holeBegin;
    private long holeEnd;
    /** The offset behind the last byte of the stream; -1 while it is not known. */
    private long end = -1;
    private boolean lost;

    /** {@code mostWaiting} is about the most bytes that wait for a missing segment. */
    Direction(int mostWaiting) {
        this.mostWaiting = mostWaiting;
    }

    /** Sets the sequence number of the first byte, if it is known. Before any byte, the last call counts. */
    void synchronise(int first) {
        if (!synchronised || isEmpty()) {
            synchronised = true;
            initial = first;
            sequence = first;
        }
    }

    /** Whether the file has a segment of this direction. */
    boolean isSynchronised() {
        return synchronised;
    }

    /** Whether the stream begins with this sequence number. */
    boolean beginsAt(int first) {
        return synchronised && initial == first;
    }

    /** Whether the file has no byte of this direction so far. */
    boolean isEmpty() {
        return next == 0 && waiting.isEmpty() && !lost;
    }

    /** Adds a segment; {@code true} if more bytes can be taken than before. */
    boolean add(TcpSegment segment) {
        if (lost || segment.length() == 0) {
            return false;
        }
        if (!synchronised) {
            synchronise(segment.firstByte());
        }
        long at = offset(segment);
        Piece piece = new Piece(segment.payload(), segment.length());
        if (at + piece.length() <= next) {
            // The sender has repeated these bytes.
            return false;
        }
        if (at > next) {
            await(at, piece);
            boolean more = false;
            while (waitingBytes > mostWaiting && skipGap()) {
                more = true;
            }
            return more;
        }
        append(piece, (int) (next - at));
        takeWaiting();
        return true;
    }

    /** The stream offset of the first byte of a segment. */
    private long offset(TcpSegment segment) {
        return next + (segment.firstByte() - sequence);
    }

    private void await(long at, Piece piece) {
        Piece earlier = waiting.get(at);
        if (earlier == null || piece.exceeds(earlier)) {
            waiting.put(at, piece);
            waitingBytes += piece.held() - (earlier == null ? 0 : earlier.held());
        }
    }

    /** The stream ends behind a segment. */
    void endBehind(TcpSegment segment) {
        if (!synchronised) {
            synchronise(segment.firstByte());
        }
        end = offset(segment) + segment.length();
    }

    /** Whether the stream has ended, and no byte of it can still come. */
    boolean isComplete() {
        return end >= 0 && (lost || next >= end);
    }

    /** Gives up the missing segments before those that wait; {@code true} if there are any. */
    boolean skipGap() {
        if (waiting.isEmpty() || lost) {
            return false;
        }
        appendHole(waiting.firstKey() - next);
        takeWaiting();
        return true;
    }

    private void takeWaiting() {
        while (!waiting.isEmpty() && waiting.firstKey() <= next && !lost) {
            Map.Entry<Long, Piece> first = waiting.pollFirstEntry();
            Piece piece = first.getValue();
            waitingBytes -= piece.held();
            long overlap = next - first.getKey();
            if (overlap < piece.length()) {
                append(piece, (int) overlap);
            }
        }
    }

    private void append(Piece piece, int skip) {
        int there = piece.bytes().length - skip;
        if (there > 0) {
            makeRoom(there);
            System.arraycopy(piece.bytes(), skip, buffer, first + size, there);
            size += there;
            next += there;
            sequence += there;
        }
        appendHole(piece.length() - skip - Math.max(0, there));
    }

    private void appendHole(long length) {
        if (length == 0) {
            return;
        }
        if (length > LONGEST_HOLE) {
            lose();
            return;
        }
        makeRoom((int) length);
        Arrays.fill(buffer, first + size, first + size + (int) length, (byte) 0);
        // One range is enough: a reader asks about all bytes that it covers.
        holeBegin = holeEnd > start ? holeBegin : next;
        size += (int) length;
        next += length;
        sequence += (int) length;
        holeEnd = next;
    }

    private void makeRoom(int more) {
        if (first + size + more <= buffer.length) {
            return;
        }
        // The bytes are moved only after half of the buffer was taken. So each byte moves once or twice, even if the reader takes small
        // pieces.
        int needed = Math.addExact(size, more);
        byte[] room = first > size && needed <= buffer.length ? buffer : new byte[Math.max(needed, 2 * buffer.length)];
        System.arraycopy(buffer, first, room, 0, size);
        buffer = room;
        first = 0;
    }

    /** The number of bytes that can be taken. */
    int size() {
        return size;
    }

    /** The stream offset of the first of them. */
    long start() {
        return start;
    }

    byte get(int index) {
        return buffer[first + index];
    }

    /** A 16-bit number in network order. */
    int number(int index) {
        return Byte.toUnsignedInt(buffer[first + index]) << 8 | Byte.toUnsignedInt(buffer[first + index + 1]);
    }

    byte[] bytes(int from, int to) {
        return Arrays.copyOfRange(buffer, first + from, first + to);
    }

    /** Whether the file lacks some of these bytes. */
    boolean hasHole(int from, int to) {
        return start + from < holeEnd && start + to > holeBegin;
    }

    void consume(int count) {
        size -= count;
        start += count;
        first = size == 0 ? 0 : first + count;
        if (buffer.length > SMALL_BUFFER) {
            trim();
        }
    }

    /** Releases the buffer if nothing is in it. */
    void trim() {
        if (size == 0) {
            buffer = NONE;
        }
    }

    /** The memory in bytes that the stream takes. */
    long held() {
        return buffer.length + waitingBytes;
    }

    /** Stops reading: the reader cannot follow the stream. */
    void lose() {
        lost = true;
        first = 0;
        size = 0;
        waiting.clear();
        waitingBytes = 0;
        trim();
    }

    boolean isLost() {
        return lost;
    }
}

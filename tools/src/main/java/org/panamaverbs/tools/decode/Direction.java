package org.panamaverbs.tools.decode;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The bytes of one direction of a TCP connection, in their order. Bytes that the file lacks are a hole: zeros, marked as missing.
 */
final class Direction {
    /** The most bytes that wait for a missing segment. */
    private static final int MOST_WAITING = 1 << 18;
    /** The longest hole: longer than any frame of MPA, so that a reader cannot follow the stream behind it. */
    private static final int LONGEST_HOLE = 1 << 17;

    /** Bytes that a segment added behind earlier bytes; some of them may be missing. */
    private record Piece(byte[] bytes, int length) {
    }

    private boolean synchronised;
    /** The offset of the next expected byte, from the first byte of the stream. */
    private long next;
    /** Its sequence number. */
    private int sequence;
    private final TreeMap<Long, Piece> waiting = new TreeMap<>();
    private long waitingBytes;

    private byte[] buffer = new byte[1024];
    /** The index of the first byte in the buffer that was not taken, its stream offset, and the number of such bytes. */
    private int first;
    private long start;
    private int size;
    private long holeBegin;
    private long holeEnd;
    private boolean lost;

    /** Sets the sequence number of the first byte, if it is known. Before any byte, the last call counts. */
    void synchronise(int first) {
        if (!synchronised || next == 0 && waiting.isEmpty()) {
            synchronised = true;
            sequence = first;
        }
    }

    /** Adds a segment; {@code true} if more bytes can be taken than before. */
    boolean add(TcpSegment segment) {
        if (lost || segment.length() == 0) {
            return false;
        }
        if (!synchronised) {
            synchronise(segment.sequence());
        }
        long at = next + (segment.sequence() - sequence);
        Piece piece = new Piece(segment.payload(), segment.length());
        if (at + piece.length() <= next) {
            // The sender has repeated these bytes.
            return false;
        }
        if (at > next) {
            if (waiting.putIfAbsent(at, piece) == null) {
                waitingBytes += piece.bytes().length + 64L;
            }
            return waitingBytes > MOST_WAITING && skipGap();
        }
        append(piece, (int) (next - at));
        takeWaiting();
        return true;
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
            waitingBytes -= piece.bytes().length + 64L;
            long known = next - first.getKey();
            if (known < piece.length()) {
                append(piece, (int) known);
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
        byte[] room = first > size && size + more <= buffer.length ? buffer : new byte[Math.max(size + more, 2 * buffer.length)];
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
    }

    /** Stops reading: the reader cannot follow the stream. */
    void lose() {
        lost = true;
        first = 0;
        size = 0;
        waiting.clear();
        buffer = new byte[0];
    }

    boolean isLost() {
        return lost;
    }
}

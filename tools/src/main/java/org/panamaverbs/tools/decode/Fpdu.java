package org.panamaverbs.tools.decode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A Framed PDU in a stream (RFC 5044, 4): the length, the ULPDU, padding to a multiple of 4, and the CRC. With Markers, 4 bytes of theirs
 * stand at every 512th byte of the stream, counted from the first FPDU; the CRC covers those in its FPDU.
 */
final class Fpdu {
    private static final int MARKER_DISTANCE = 512;
    private static final int MARKER_SIZE = 4;
    private static final int CRC_SIZE = 4;

    private final Direction stream;
    /** The distance of the FPDU from the first one, in bytes; -1 without Markers. */
    private final long position;
    private int length;
    private int size;

    /** Reads the FPDU at the front of a stream. */
    Fpdu(Direction stream, long position) {
        this.stream = stream;
        this.position = position;
    }

    /** The number of bytes of the stream for so many bytes of the FPDU, with the Markers before and between them. */
    private int raw(int count) {
        if (position < 0) {
            return count;
        }
        int raw = 0;
        int left = count;
        while (left > 0) {
            int behind = (int) ((position + raw) % MARKER_DISTANCE);
            if (behind == 0) {
                raw += MARKER_SIZE;
                behind = MARKER_SIZE;
            }
            int part = Math.min(left, MARKER_DISTANCE - behind);
            raw += part;
            left -= part;
        }
        return raw;
    }

    /** Whether the stream has the length field; only then {@link #size} is valid. */
    boolean hasLength() {
        int field = raw(2);
        if (stream.size() < field) {
            return false;
        }
        // Markers and FPDUs begin at multiples of 4, so no Marker cuts the field.
        length = stream.number(field - 2);
        size = raw(2 + length + pad() + CRC_SIZE);
        return true;
    }

    private int pad() {
        return -(2 + length) & 3;
    }

    /** The length of the ULPDU in bytes. */
    int length() {
        return length;
    }

    /** The number of its bytes in the stream. */
    int size() {
        return size;
    }

    /** Whether the file lacks the length field. */
    boolean isLengthMissing() {
        return stream.hasHole(0, raw(2));
    }

    /** The number of bytes, from the front of the ULPDU on, that the file has. */
    int readable() {
        if (!stream.hasHole(0, size)) {
            return length;
        }
        int low = 0;
        int high = length;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (stream.hasHole(0, raw(2 + middle))) {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        return low;
    }

    byte[] ulpdu() {
        byte[] ulpdu = new byte[length];
        for (int done = 0; done < length;) {
            int at = raw(2 + done + 1) - 1;
            int untilMarker = position < 0 ? length : MARKER_DISTANCE - (int) ((position + at) % MARKER_DISTANCE);
            int part = Math.min(length - done, untilMarker);
            System.arraycopy(stream.bytes(at, at + part), 0, ulpdu, done, part);
            done += part;
        }
        return ulpdu;
    }

    /** good, bad, off, or unknown if the file lacks some bytes. */
    String check(boolean inUse) {
        if (!inUse) {
            return "off";
        }
        if (stream.hasHole(0, size)) {
            return "unknown";
        }
        byte[] bytes = stream.bytes(0, size);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, size - CRC_SIZE);
        int field = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(size - CRC_SIZE);
        return (int) crc.getValue() == field ? "good" : "bad";
    }
}

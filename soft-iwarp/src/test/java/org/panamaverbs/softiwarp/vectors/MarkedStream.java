package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Reads a stream of FPDUs with Markers by the text of RFC 5044, 4.2 to 4.4, and without the classes under test: a Marker is at every byte
 * whose number is a multiple of 512; each FPDUPTR must be right, and each CRC, which covers the Markers. What is left is the same FPDUs
 * without Markers, and with the CRCs that they have then.
 */
public final class MarkedStream {
    private static final int INTERVAL = 512;
    private static final int MARKER_SIZE = 4;
    private static final int CRC_SIZE = 4;
    private static final int LONGEST = 2 + 65_535 + 3 + CRC_SIZE;

    private final boolean crc;
    private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
    /** The number of bytes so far. */
    private long position;
    private int marker;
    private int markers;
    /** The FPDU under way without Markers, all that its CRC covers, and where its length field is. */
    private final byte[] fpdu = new byte[LONGEST];
    private int size;
    private final CRC32C covered = new CRC32C();
    private long lengthAt;
    /** Where in an FPDU, from its length field on and without Markers, the Markers were. */
    private final StringBuilder places = new StringBuilder();

    /** Reads from the first byte of full operation on; {@code crc} says whether CRCs are used. */
    public MarkedStream(boolean crc) {
        this.crc = crc;
    }

    /** The next bytes. */
    public void add(byte[] bytes) {
        for (byte each : bytes) {
            add(each);
        }
    }

    /** The next byte. */
    public void add(byte value) {
        int within = (int) (position % INTERVAL);
        if (within < MARKER_SIZE) {
            covered.update(value);
            marker = marker << 8 | value & 0xFF;
            if (within == MARKER_SIZE - 1) {
                onMarker(position - within);
            }
        } else {
            if (size == 0) {
                lengthAt = position;
            }
            fpdu[size++] = value;
            onContent(value);
        }
        position++;
    }

    private void onMarker(long at) {
        int expected = size == 0 ? 0 : (int) (at - lengthAt);
        assertEquals(0, expected % 4, "the lowest two bits of an FPDUPTR");
        assertEquals(expected, marker, "reserved bits and FPDUPTR of the Marker at " + at);
        marker = 0;
        markers++;
        places.append(size).append(' ');
    }

    private void onContent(byte value) {
        if (size < 2) {
            covered.update(value);
            return;
        }
        int length = (fpdu[0] & 0xFF) << 8 | fpdu[1] & 0xFF;
        int end = (2 + length + 3) / 4 * 4;
        if (size <= end) {
            covered.update(value);
        } else if (size == end + CRC_SIZE) {
            onFpdu(end);
        }
    }

    private void onFpdu(int end) {
        int found = ByteBuffer.wrap(fpdu, end, CRC_SIZE).order(ByteOrder.LITTLE_ENDIAN).getInt();
        assertEquals(crc ? (int) covered.getValue() : 0, found, "the CRC of the FPDU at " + lengthAt);
        CRC32C sum = new CRC32C();
        sum.update(fpdu, 0, end);
        ByteBuffer.wrap(fpdu, end, CRC_SIZE).order(ByteOrder.LITTLE_ENDIAN).putInt(crc ? (int) sum.getValue() : 0);
        plain.write(fpdu, 0, end + CRC_SIZE);
        size = 0;
        covered.reset();
        places.append("| ");
    }

    /** No more comes: the start of an FPDU that is not whole is passed on as it is. */
    public void end() {
        plain.write(fpdu, 0, size);
        size = 0;
    }

    /** The whole FPDUs so far, without Markers. */
    public byte[] plain() {
        return plain.toByteArray();
    }

    /** The same, and forgets them. */
    public byte[] takePlain() {
        byte[] bytes = plain.toByteArray();
        plain.reset();
        return bytes;
    }

    /** Whether an FPDU has begun and is not whole. */
    public boolean isInFpdu() {
        return size > 0;
    }

    /** How many Markers there were. */
    public int markers() {
        return markers;
    }

    /**
     * After how many bytes of its FPDU each Marker was; a bar stands for the end of an FPDU.
     *
     * @return for example {@code "0 | 12 | "}: a Marker before the first FPDU, one after 12 bytes of the second
     */
    public String places() {
        return places.toString();
    }
}

package org.panamaverbs.softiwarp.vectors;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Makes what a peer sends, sound or not, without the classes under test. */
final class Forge {
    static final int LAST_TAGGED = 0xC1;
    static final int LAST_UNTAGGED = 0x41;
    static final int WRITE = 0x40;
    static final int READ_REQUEST = 0x41;
    static final int READ_RESPONSE = 0x42;
    static final int SEND = 0x43;
    static final int SEND_INVALIDATE = 0x44;
    static final int TERMINATE = 0x47;
    static final int IMMEDIATE = 0x48;
    static final int IMMEDIATE_SOLICITED = 0x49;
    static final int ATOMIC_REQUEST = 0x4A;
    static final int ATOMIC_RESPONSE = 0x4B;

    private Forge() {
    }

    /** A Request or Reply of revision 2. */
    static byte[] start(boolean request, boolean crc, int ird, int ord) {
        return ByteBuffer.allocate(24).put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII))
                .put((byte) (crc ? 0x50 : 0x10)).put((byte) 2).putShort((short) 4).putShort((short) ird).putShort((short) ord).array();
    }

    static byte[] tagged(int control, int ulp, int stag, long offset, byte[] payload) {
        return ByteBuffer.allocate(14 + payload.length).put((byte) control).put((byte) ulp).putInt(stag).putLong(offset).put(payload)
                .array();
    }

    static byte[] untagged(int control, int ulp, int word, int queue, int sequence, int offset, byte[] payload) {
        return ByteBuffer.allocate(18 + payload.length).put((byte) control).put((byte) ulp).putInt(word).putInt(queue).putInt(sequence)
                .putInt(offset).put(payload).array();
    }

    static byte[] readRequest(int sinkStag, long sinkOffset, int length, int sourceStag, long sourceOffset) {
        return ByteBuffer.allocate(28).putInt(sinkStag).putLong(sinkOffset).putInt(length).putInt(sourceStag).putLong(sourceOffset)
                .array();
    }

    /** RFC 7306, figure 4. */
    static byte[] atomicRequest(int operation, int identifier, int stag, long offset, long data, long mask, long compareData,
            long compareMask) {
        return ByteBuffer.allocate(52).putInt(operation).putInt(identifier).putInt(stag).putLong(offset).putLong(data).putLong(mask)
                .putLong(compareData).putLong(compareMask).array();
    }

    /** RFC 7306, figure 6. */
    static byte[] atomicResponse(int identifier, long value) {
        return ByteBuffer.allocate(12).putInt(identifier).putLong(value).array();
    }

    /** The frame of a segment: length, padding, CRC. */
    static byte[] fpdu(byte[] ulpdu, boolean crc) {
        int covered = (2 + ulpdu.length + 3) / 4 * 4;
        ByteBuffer frame = ByteBuffer.allocate(covered + 4).putShort((short) ulpdu.length).put(ulpdu);
        CRC32C sum = new CRC32C();
        sum.update(frame.array(), 0, covered);
        return frame.order(ByteOrder.LITTLE_ENDIAN).putInt(covered, crc ? (int) sum.getValue() : 0).array();
    }

    /** A Write of no bytes: what an initiator sends to allow the responder to send (RFC 6581, 9.2). */
    static byte[] ready(boolean crc) {
        return fpdu(tagged(LAST_TAGGED, WRITE, 1, 0, new byte[0]), crc);
    }

    static byte[] payload(int length) {
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (i * 7 + 1);
        }
        return payload;
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}

package org.panamaverbs.tools.decode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The bytes of MPA streams. */
final class MpaBytes {
    /** RDMAP version 1, with the opcodes of RFC 5040. */
    private static final int RDMAP = 0x40;

    private MpaBytes() {
    }

    /** A Request or Reply; with revision 2, 4 bytes of private data. */
    static byte[] start(boolean request, int flags, int revision) {
        int length = revision == 2 ? 4 : 0;
        return ByteBuffer.allocate(20 + length).put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII))
                .put((byte) flags).put((byte) revision).putShort((short) length).array();
    }

    static byte[] request() {
        return start(true, 0, 1);
    }

    static byte[] reply() {
        return start(false, 0, 1);
    }

    static byte[] fpdu(byte[] ulpdu, boolean right) {
        ByteBuffer fpdu = ByteBuffer.allocate((2 + ulpdu.length + 3) / 4 * 4 + 4).putShort((short) ulpdu.length).put(ulpdu);
        if (right) {
            CRC32C crc = new CRC32C();
            crc.update(fpdu.array(), 0, fpdu.limit() - 4);
            fpdu.order(ByteOrder.LITTLE_ENDIAN).putInt(fpdu.limit() - 4, (int) crc.getValue());
        }
        return fpdu.array();
    }

    /** An untagged segment of one message. */
    static byte[] untagged(int opcode, int payload) {
        return ByteBuffer.allocate(18 + payload).put((byte) 0x41).put((byte) (RDMAP | opcode)).putInt(0).putInt(0).putInt(1).array();
    }

    static byte[] send(int payload) {
        return fpdu(untagged(3, payload), true);
    }

    static byte[] write(int payload) {
        return fpdu(ByteBuffer.allocate(14 + payload).put((byte) 0xC1).put((byte) RDMAP).array(), true);
    }
}

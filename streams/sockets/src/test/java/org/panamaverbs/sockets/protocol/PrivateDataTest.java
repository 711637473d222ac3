package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PrivateDataTest {
    private static final PrivateData DATA = new PrivateData(false, 48, 0x1122334455667788L, 0x01020304, 2, 0x7000000000L, 0x0A0B0C0D, 4096,
            false);
    private static final PrivateData CARRYING = new PrivateData(false, 48, 0x1122334455667788L, 0x01020304, 2, 0x7000000000L, 0x0A0B0C0D,
            4096, true);

    @Test
    void shouldHaveTheBytesOfRsocket() {
        assertArrayEquals(HexFormat.of().parseHex("01000030000000001122334455667788010203040000000200000070000000000a0b0c0d00001000"),
                DATA.encode());
    }

    @Test
    void shouldNameMessagesThatCarryBytesBehindThoseOfRsocket() throws StreamProtocolException {
        byte[] bytes = CARRYING.encode();
        assertArrayEquals(DATA.encode(), Arrays.copyOf(bytes, PrivateData.LENGTH));
        assertArrayEquals(HexFormat.of().parseHex("70616e616d610001"), Arrays.copyOfRange(bytes, PrivateData.LENGTH, bytes.length));
        assertEquals(CARRYING, PrivateData.decode(bytes));
        assertEquals(CARRYING, PrivateData.decode(Arrays.copyOf(bytes, 148)));
    }

    @Test
    void shouldPassOverAnythingElseBehindThoseOfRsocket() throws StreamProtocolException {
        for (int length = PrivateData.LENGTH; length < PrivateData.CARRYING_LENGTH; length++) {
            assertEquals(DATA, PrivateData.decode(Arrays.copyOf(CARRYING.encode(), length)));
        }
        for (int at = PrivateData.LENGTH; at < PrivateData.CARRYING_LENGTH; at++) {
            byte[] bytes = CARRYING.encode();
            bytes[at] ^= 1;
            assertEquals(at == PrivateData.CARRYING_LENGTH - 2 ? CARRYING : DATA, PrivateData.decode(bytes));
        }
    }

    @Test
    void shouldReadWhatItWroteWhateverFollows() throws StreamProtocolException {
        assertEquals(DATA, PrivateData.decode(Arrays.copyOf(DATA.encode(), 148)));
    }

    @Test
    void shouldReadTheByteOrderAndPassOverTheTableOfMappedMemory() throws StreamProtocolException {
        byte[] bytes = DATA.encode();
        bytes[1] = 3;
        bytes[7] = 9;
        assertTrue(PrivateData.decode(bytes).bigEndian());
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        refuses("has 39 bytes", Arrays.copyOf(DATA.encode(), 39));
        refuses("version 2", changed(0, (byte) 2));
        refuses("has 0 entries", ByteBuffer.wrap(DATA.encode()).putInt(20, 0).array());
        refuses("has 4294967295 entries", ByteBuffer.wrap(DATA.encode()).putInt(20, -1).array());
        refuses("has 0 bytes", ByteBuffer.wrap(DATA.encode()).putInt(36, 0).array());
        refuses("has 2147483648 bytes", ByteBuffer.wrap(DATA.encode()).putInt(36, Integer.MIN_VALUE).array());
        refuses("beyond the last address", ByteBuffer.wrap(DATA.encode()).putLong(24, -2).array());
        refuses("beyond the last address", ByteBuffer.wrap(DATA.encode()).putLong(8, -8).array());
    }

    private static byte[] changed(int at, byte value) {
        byte[] bytes = DATA.encode();
        bytes[at] = value;
        return bytes;
    }

    private static void refuses(String why, byte[] data) {
        String message = assertThrows(StreamProtocolException.class, () -> PrivateData.decode(data)).getMessage();
        assertTrue(message.contains(why), message);
    }
}

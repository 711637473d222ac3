package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class RemoteMemoryTest {
    private static final RemoteMemory MEMORY = new RemoteMemory(0x0102_0304_0506_0708L, 0xCAFE_BABE, 0x1000);
    private static final byte[] ENCODED = HexFormat.of().parseHex("0102030405060708" + "0000000000001000" + "cafebabe");

    @Test
    void shouldEncodeInNetworkByteOrder() {
        assertArrayEquals(ENCODED, MEMORY.encode());
        byte[] message = new byte[32];
        MEMORY.encode(MemorySegment.ofArray(message), 7);
        assertArrayEquals(ENCODED, Arrays.copyOfRange(message, 7, 27));
    }

    @Test
    void shouldDecodeWhatItEncoded() {
        assertEquals(MEMORY, RemoteMemory.decode(ENCODED));
        // InfiniBand fills private data up with zeros.
        assertEquals(MEMORY, RemoteMemory.decode(Arrays.copyOf(ENCODED, 56)));
        assertEquals(MEMORY, RemoteMemory.decode(MemorySegment.ofArray(ENCODED), 0));
    }

    @Test
    void shouldRefuseWhatIsNoEncoding() {
        for (int length = 0; length < RemoteMemory.ENCODED_LENGTH; length++) {
            byte[] shorter = Arrays.copyOf(ENCODED, length);
            assertThrows(IndexOutOfBoundsException.class, () -> RemoteMemory.decode(shorter), "of " + length + " bytes");
        }
        for (long offset : new long[] { -1, 1, Long.MAX_VALUE, Long.MIN_VALUE }) {
            assertThrows(IndexOutOfBoundsException.class, () -> RemoteMemory.decode(MemorySegment.ofArray(ENCODED), offset));
        }
        byte[] negative = ENCODED.clone();
        negative[8] = -1;
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.decode(negative));
        byte[] beyond = new RemoteMemory(-16, 1, 17).encode();
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.decode(beyond));
        assertEquals(16, RemoteMemory.decode(new RemoteMemory(-16, 1, 16).encode()).length());
    }

    @Test
    void shouldSlice() {
        RemoteMemory part = MEMORY.slice(0x10, 0x20);
        assertEquals(new RemoteMemory(MEMORY.address() + 0x10, MEMORY.key(), 0x20), part);
        assertEquals(MEMORY.address() + 0x1000, MEMORY.address(0x1000, 0));
        for (long[] outside : new long[][] { { 1, 0x1000 }, { -1, 1 }, { 0x1001, 0 }, { 0, -1 }, { Long.MAX_VALUE, 1 },
                { 1, Long.MAX_VALUE }, { Long.MIN_VALUE, 0 }, { 0, Long.MIN_VALUE } }) {
            assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(outside[0], outside[1]), () -> Arrays.toString(outside));
        }
    }

    @Test
    void shouldRefuseANegativeLength() {
        assertThrows(IllegalArgumentException.class, () -> new RemoteMemory(0, 0, -1));
    }
}

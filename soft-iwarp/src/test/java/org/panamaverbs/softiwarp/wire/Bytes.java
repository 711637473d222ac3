package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/** Bytes of the wire as hexadecimal text; spaces are for the reader. */
public final class Bytes {
    private static final HexFormat HEX = HexFormat.of();
    /** Something stands before the header: offsets count from where they are told to. */
    public static final int AT = 3;
    private static final byte REST = 0x5A;

    private Bytes() {
    }

    /** Native memory with the bytes at {@link #AT}. */
    public static MemorySegment of(String hex) {
        byte[] bytes = HEX.parseHex(hex.replace(" ", ""));
        MemorySegment memory = blank(bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, AT, bytes.length);
        return memory;
    }

    /** Memory to write so many bytes at {@link #AT}. */
    public static MemorySegment blank(int length) {
        MemorySegment memory = Arena.ofAuto().allocate(AT + length + AT);
        memory.fill(REST);
        return memory;
    }

    /** Asserts that exactly these bytes were written at {@link #AT}, and nothing beside them. */
    public static void assertBytes(String hex, MemorySegment memory) {
        assertEquals(HEX.formatHex(of(hex).toArray(ValueLayout.JAVA_BYTE)), HEX.formatHex(memory.toArray(ValueLayout.JAVA_BYTE)));
    }
}

package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** RFC 5040, 4.4. */
class ReadRequestTest {
    @Test
    void shouldReadAndWriteTheRequestOfRping() {
        // The first of rping.pcap.
        String wire = "4df68000 0000563a47368500 00000064 5894fd00 000055c815e00ba0";
        MemorySegment in = Bytes.of(wire);
        assertEquals(0x4DF68000, ReadRequest.sinkStag(in, AT));
        assertEquals(0x563A47368500L, ReadRequest.sinkOffset(in, AT));
        assertEquals(100, ReadRequest.length(in, AT));
        assertEquals(0x5894FD00, ReadRequest.sourceStag(in, AT));
        assertEquals(0x55C815E00BA0L, ReadRequest.sourceOffset(in, AT));
        MemorySegment out = Bytes.blank(ReadRequest.SIZE);
        ReadRequest.put(out, AT, 0x4DF68000, 0x563A47368500L, 100, 0x5894FD00, 0x55C815E00BA0L);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadTheLongestLengthAsUnsigned() {
        MemorySegment out = Bytes.blank(ReadRequest.SIZE);
        ReadRequest.put(out, AT, -1, -1, -1, -1, -1);
        Bytes.assertBytes("ff".repeat(28), out);
        assertEquals(0xFFFF_FFFFL, ReadRequest.length(out, AT));
    }
}

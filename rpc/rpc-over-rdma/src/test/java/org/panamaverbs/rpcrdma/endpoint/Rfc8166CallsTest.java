package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.OpaqueSegment;
import org.panamaverbs.rpcrdma.wire.Words;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8166, 3.4.4, 3.4.5 and 3.5: calls with Read chunks, at both ends. */
class Rfc8166CallsTest {
    @Test
    @Requirement({ "RFC8166-3.4.4.1-a", "RFC8166-3.4.4.4-b", "RFC8166-3.4.5-a,b", "RFC8166-3.4.5.2-a,c", "RFC8166-4.2.1-a" })
    void shouldMoveTheDataToAChunkAndLeaveTheCount() {
        Bench bench = Bench.client();
        bench.call(9, 0, 5, Bench.data(2001), 6);
        // Behind XID, type, 5 and the count.
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG reads=[16:00000100:2001:0000000000100000]"), bench.sent());
        assertArrayEquals(new int[] { 9, 0, 5, 2001, 6 }, bench.payload(0));
        assertEquals(2001, bench.link.opened.getFirst().memory.byteSize());
    }

    @Test
    @Requirement({ "RFC8166-3.4.4.4-a", "RFC8166-3.4.5-a,b" })
    void shouldMakeAChunkOfEachItem() {
        Bench bench = Bench.client();
        bench.call(9, 0, Bench.data(2001), 5, Bench.data(1999));
        // The second lies behind 12 bytes, 2,004 of the first with its padding, 5 and a count.
        assertEquals(
                List.of("SOUND 00000009 v1 credits=32 MSG reads=[12:00000100:2001:0000000000100000 2024:00000101:1999:0000000000101000]"),
                bench.sent());
        assertArrayEquals(new int[] { 9, 0, 2001, 5, 1999 }, bench.payload(0));
    }

    @Test
    @Requirement({ "RFC8166-3.4.2-a", "RFC8166-3.5.3-a,b,d" })
    void shouldSendACallThatCannotBeReducedByAPositionZeroChunk() {
        Bench bench = Bench.client();
        Object[] numbers = new Object[300];
        Arrays.fill(numbers, 7);
        Object[] parts = Arrays.copyOf(numbers, 301);
        parts[300] = Bench.data(2001);
        bench.call(9, 0, parts);
        // The item does not help: the whole is read, with the item and its padding in its place.
        assertEquals(List.of("SOUND 00000009 v1 credits=32 NOMSG reads=[0:00000100:3216:0000000000100000]"), bench.sent());
        MemorySegment stream = bench.link.opened.getFirst().memory;
        int[] words = Bench.words(stream);
        assertEquals(9, words[0]);
        assertEquals(2001, words[302]);
        assertEquals(-1, stream.asSlice(4 * 303, 2001).mismatch(Bench.data(2001)));
        assertEquals(0, words[803] & 0xffffff);
    }

    @Test
    @Requirement("RFC8166-3.4.5.2-b")
    void shouldTakeAReadChunkWithAndWithoutItsPadding() throws IOException {
        for (int length : new int[] { 5, 8 }) {
            Bench bench = Bench.server();
            bench.link.remote.put(0xab, new byte[] { 1, 2, 3, 4, 5, 9, 9, 9 });
            bench.receive("9 1 20 0  1 c ab " + length + " 0 0 0  0 0  9 0 5 77");
            MemorySegment view = OpaqueSegment.view(bench.decode(0));
            assertArrayEquals(new byte[] { 1, 2, 3, 4, 5 }, view.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0x77, bench.calls.getFirst().xdrDecodeInt());
        }
    }

    @Test
    void shouldPutACallTogetherFromChunksOfSeveralSegments() throws IOException {
        Bench bench = Bench.server();
        bench.link.remote.put(0xa, Words.of("01020304 05060708"));
        bench.link.remote.put(0xb, Words.of("090a0b0c"));
        bench.link.remote.put(0xc, Words.of("11121314"));
        // In any order of positions (RFC 8166, 3.4.5).
        bench.receive("9 1 20 0  1 20 c 3 0 0  1 c a 8 0 0  1 c b 2 0 0  0 0 0  9 0 a 5 3 6");
        var call = bench.decode(0);
        assertArrayEquals(new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, OpaqueSegment.view(call).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(5, call.xdrDecodeInt());
        assertArrayEquals(new byte[] { 0x11, 0x12, 0x13 }, OpaqueSegment.view(call).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(6, call.xdrDecodeInt());
    }

    @Test
    @Requirement("RFC8166-4.2.4-a")
    void shouldTakeACallFromAPositionZeroChunkAndRefuseNomsgWithoutOne() throws IOException {
        Bench bench = Bench.server();
        bench.link.remote.put(0xa, Words.of("9 0 5"));
        bench.receive("9 1 20 1  1 0 a c 0 0  0 0 0");
        assertEquals(5, bench.decode(0).xdrDecodeInt());
        bench.receive("8 1 20 1  0 0 0");
        assertEquals(List.of("SOUND 00000008 v1 credits=32 ERROR BAD_XDR"), bench.sent());
    }

    @Test
    void shouldKeepNothingOpenAfterTheAnswer() {
        Bench bench = Bench.client();
        Bench.Caller caller = bench.call(9, List.of(Bench.data(100)), 0, Bench.data(3000));
        assertTrue(bench.link.opened.stream().noneMatch(opened -> opened.revoked));
        bench.receive("9 1 20 0  0  1 1 " + Integer.toHexString(bench.link.opened.getFirst().handle) + " 64 0 "
                + Long.toHexString(bench.link.opened.getFirst().offset()) + " 0  0  9 1 64");
        assertTrue(bench.link.opened.stream().allMatch(opened -> opened.revoked));
        assertEquals(null, caller.failure);
    }
}

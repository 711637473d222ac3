package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.endpoint.FakeLink.Written;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8166, 3.4.6, 3.5.3, 4.3: replies with Write chunks and Reply chunks, at both ends. */
class Rfc8166RepliesTest {
    private static byte[] data(int from, int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) (from + i + 1);
        }
        return data;
    }

    private static void assertWritten(Written written, int handle, long address, byte[] bytes) {
        assertEquals(handle, written.handle());
        assertEquals(address, written.address());
        assertArrayEquals(bytes, written.bytes());
    }

    @Test
    @Requirement({ "RFC8166-3.4.6-b", "RFC8166-3.4.6.2-b,c", "RFC8166-4.3.1-a", "RFC8166-4.3.2-a" })
    void shouldWriteAResultWithoutPaddingAndReturnAllSegments() {
        Bench bench = Bench.server();
        bench.receive("9 1 20 0  0  1 3 a 3 0 10 b 4 1 0 c 5 0 30 0  0  9 0");
        bench.reply(0, Bench.data(5), 6);
        assertEquals(2, bench.link.written.size());
        assertWritten(bench.link.written.get(0), 0xa, 0x10, data(0, 3));
        assertWritten(bench.link.written.get(1), 0xb, 0x1_0000_0000L, data(3, 2));
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG writes=[[0000000a:3:0000000000000010 0000000b:2:0000000100000000 "
                + "0000000c:0:0000000000000030]]"), bench.sent());
        assertArrayEquals(new int[] { 9, 1, 5, 6 }, bench.payload(0));
    }

    @Test
    @Requirement("RFC8166-4.3.2.2-a,c")
    void shouldFillWriteChunksInTheirOrderAndReturnTheRestUnused() {
        Bench bench = Bench.server();
        bench.receive("9 1 20 0  0  1 1 a 8 0 0 1 1 b 8 0 0 1 1 c 8 0 0 0  0  9 0");
        bench.reply(0, Bench.data(3), Bench.data(4));
        assertWritten(bench.link.written.get(0), 0xa, 0, data(0, 3));
        assertWritten(bench.link.written.get(1), 0xb, 0, data(0, 4));
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG writes=[[0000000a:3:0000000000000000] [0000000b:4:0000000000000000] "
                + "[0000000c:0:0000000000000000]]"), bench.sent());
    }

    @Test
    @Requirement("RFC8166-4.3.2.3-a")
    void shouldReturnAResultInlineForAnEmptyWriteChunk() {
        Bench bench = Bench.server();
        bench.receive("9 1 20 0  0  1 0 1 1 b 8 0 0 0  0  9 0");
        bench.reply(0, Bench.data(4), Bench.data(3));
        assertEquals(1, bench.link.written.size());
        assertWritten(bench.link.written.get(0), 0xb, 0, data(0, 3));
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG writes=[[] [0000000b:3:0000000000000000]]"), bench.sent());
        assertArrayEquals(new int[] { 9, 1, 4, 0x01020304, 3 }, bench.payload(0));
    }

    @Test
    @Requirement("RFC8166-3.5.3-a,c,d")
    void shouldReturnALongReplyByTheReplyChunk() {
        Bench bench = Bench.server();
        bench.receive("9 1 20 0  0 0  1 2 a 400 0 10 b 400 0 20  9 0");
        bench.reply(0, Bench.data(1201));
        assertEquals(List.of("SOUND 00000009 v1 credits=32 NOMSG reply=[0000000a:1024:0000000000000010 0000000b:192:0000000000000020]"),
                bench.sent());
        assertEquals(List.of(1024, 192), bench.link.written.stream().map(written -> written.bytes().length).toList());
        byte[] second = bench.link.written.get(1).bytes();
        assertArrayEquals(new byte[] { (byte) 1201, 0, 0, 0 }, Arrays.copyOfRange(second, 188, 192));
    }

    @Test
    @Requirement("RFC8166-4.3.3-b")
    void shouldReturnAnUnusedReplyChunkWithAShortReply() {
        Bench bench = Bench.server().receive("9 1 20 0  0 0  1 2 a 400 0 10 b 400 0 20  9 0");
        bench.reply(0, 6);
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG reply=[0000000a:0:0000000000000010 0000000b:0:0000000000000020]"),
                bench.sent());
        assertArrayEquals(new int[] { 9, 1, 6 }, bench.payload(0));
        assertTrue(bench.link.written.isEmpty());
    }

    @Test
    @Requirement("RFC8166-4.3.3-a")
    void shouldOfferAReplyChunkIfTheReplyMayBeTooLong() {
        Bench bench = Bench.client();
        bench.call(9, 1024 - 28);
        assertEquals("SOUND 00000009 v1 credits=32 MSG", bench.sent().getFirst());
        bench = Bench.client();
        bench.call(9, 1024 - 27);
        assertEquals("SOUND 00000009 v1 credits=32 MSG reply=[00000100:997:0000000000100000]", bench.sent().getFirst());
        // The header of the reply has the Write list, too.
        bench = Bench.client();
        bench.call(9, List.of(Bench.data(100)), 1024 - 28 - 24 + 1);
        assertTrue(bench.sent().getFirst().contains("reply=["), bench.sent()::toString);
        assertTrue(bench.link.opened.stream().allMatch(opened -> opened.forWriting));
    }

    @Test
    void shouldFailACallWhoseReplyReturnsOtherWriteChunks() {
        for (String chunks : List.of("0", "1 1 77 64 0 100000 0", "1 1 100 65 0 100000 0", "1 1 100 64 0 100001 0",
                "1 2 100 1 0 100000 100 1 0 100000 0", "1 1 100 64 0 100000 1 1 100 64 0 100000 0")) {
            Bench bench = Bench.client();
            Bench.Caller caller = bench.call(9, List.of(Bench.data(100)), 0);
            bench.receive("9 1 20 0  0 " + chunks + " 0  9 1 64");
            assertInstanceOf(CallFailedException.class, caller.failure, chunks);
            assertTrue(bench.link.opened.stream().allMatch(opened -> opened.revoked));
        }
    }

    @Test
    void shouldDecodeAResultThatThePeerPlacedOrReturnedInline() throws Exception {
        for (String reply : List.of("1 1 100 4 0 100000 0  0  9 1 4", "1 1 100 0 0 100000 0  0  9 1 4 01020304",
                "1 0 0  0  9 1 4 01020304")) {
            Bench bench = Bench.client();
            MemorySegment result = Bench.data(4);
            Bench.Caller caller = bench.call(9, List.of(result), 0);
            bench.receive("9 1 20 0  0 " + reply);
            assertNull(caller.failure, reply);
            caller.answer.beginDecoding();
            caller.answer.xdrDecodeInt();
            caller.answer.xdrDecodeInt();
            assertEquals(4, caller.answer.decodeSegment(result));
            assertEquals(-1, result.mismatch(Bench.data(4)), reply);
        }
    }

    @Test
    @Requirement("RFC8166-4.5.4-b")
    void shouldEndTheConnectionIfAReplyCannotBeSent() {
        Bench bench = Bench.server().receive("9 1 20 0  0  1 1 a 8 0 0 0  0  9 0");
        bench.link.refusesWrites = true;
        bench.reply(0, Bench.data(5));
        assertNotNull(bench.link.failure);
        assertTrue(bench.sent().isEmpty());
    }
}

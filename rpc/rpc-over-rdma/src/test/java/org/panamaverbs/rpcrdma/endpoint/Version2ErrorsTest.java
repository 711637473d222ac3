package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.testing.conformance.Requirement;

/** Draft, 7.2.4: every error, the input that provokes it, and the reaction of a requester. */
class Version2ErrorsTest {
    private static final String NINE_SEGMENTS = "9 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0";

    private static String answer(String call) {
        Bench bench = Bench.server(2, 2, null).receive(call);
        assertTrue(bench.calls.isEmpty(), "the call was dispatched");
        return bench.sent().getLast();
    }

    @Test
    @Requirement("V2-7.2.4-a")
    void shouldRefuseAnUnknownProcedure() {
        for (String procedure : List.of("2", "3", "a", "ffffffff")) {
            assertEquals("SOUND 00000009 v2 credits=32 ERROR INVALID_PROCEDURE", answer("9 2 20 " + procedure + " 0 0 0 0 0"));
        }
    }

    @ParameterizedTest
    @CsvSource({ "a direction that is none, 9 2 20 0  2 0 0 0 0  9 0", "a header that is cut, 9 2 20 0  0 0 0 0",
            "a property that is cut, 9 2 20 6  1 1 4", "a property beyond the message, 9 2 20 6  1 77 64 0 0",
            "a support that is none, 9 2 20 6  1 2 4 3 0", "another XID in the payload, 9 2 20 0  0 0 0 0 0  8 0",
            "neither payload nor chunks, 9 2 20 1  0 0 0 0 0", "a position behind the payload, 9 2 20 0  0 0 1 10 a 4 0 0 0 0 0  9 0" })
    @Requirement({ "V2-6.1.1-a,b", "V2-7.2.4-b,c" })
    void shouldRefuseAHeaderThatCannotBeDecoded(String what, String call) {
        assertEquals("SOUND 00000009 v2 credits=32 ERROR BAD_XDR", answer(call), what);
    }

    @Test
    @Requirement("V2-7.2.2-b")
    void shouldRefuseACallWhoseDirectionDiffersFromItsPayload() {
        assertEquals("SOUND 00000009 v2 credits=32 ERROR BAD_XDR", answer("9 2 20 0  0 0 0 0 0  9 1"));
        Bench bench = Bench.client(2, 2, null);
        Bench.Caller caller = bench.call(9, 0);
        bench.receive("9 2 20 0  1 0 0 0 0  9 0");
        assertNull(caller.answer);
    }

    @Test
    @Requirement("V2-7.2.4-k")
    void shouldSayHowManySegmentsAChunkMayHave() {
        for (String chunks : List.of("0  1 " + NINE_SEGMENTS + " 0  0", "0  0  1 " + NINE_SEGMENTS,
                "1 0 1 4 0 0".repeat(1) + " 1 0 1 4 0 0".repeat(8) + " 0  0  0")) {
            String procedure = chunks.startsWith("1") ? "1" : "0";
            assertEquals("SOUND 00000009 v2 credits=32 ERROR SEGMENTS 8",
                    answer("9 2 20 " + procedure + "  0 0  " + chunks + (procedure.equals("0") ? " 9 0" : "")));
        }
    }

    @ParameterizedTest
    @CsvSource({ "2, READ_CHUNKS 2, WRITE_CHUNKS 2", "0, READ_CHUNKS 0, REPLY_RESOURCE 0" })
    @Requirement("V2-7.2.4-d,e,h,i")
    void shouldSayHowManyChunksItTakes(int chunks, String reads, String writes) {
        Bench bench = Bench.serverTaking(chunks);
        bench.receive("9 2 20 0  0 0  1 8 a 4 0 0 1 c a 4 0 0 1 10 a 4 0 0 0  0 0  9 0 1 2 3");
        assertEquals("SOUND 00000009 v2 credits=32 ERROR " + reads, bench.sent().getLast());
        bench.receive("8 2 20 0  0 0  0  1 0 1 0 1 0 0  0  8 0");
        assertEquals("SOUND 00000008 v2 credits=32 ERROR " + writes, bench.sent().getLast());
        assertTrue(bench.calls.isEmpty());
    }

    @Test
    @Requirement("V2-7.2.4-l..n")
    void shouldSayWhichWriteChunkIsTooSmallAndWhatItNeeds() {
        Bench bench = Bench.server(2, 2, null).receive("9 2 20 0  0 0  0  1 1 a 8 0 0 1 2 b 3 0 0 c 1 0 0 0  0  9 0");
        bench.reply(0, Bench.data(8), Bench.data(5));
        assertEquals("SOUND 00000009 v2 credits=32 ERROR WRITE_RESOURCE 2 5", bench.sent().getLast());
        assertTrue(bench.link.written.isEmpty(), "a call that fails writes nothing");
    }

    @Test
    @Requirement("V2-7.2.4-o,p")
    void shouldSayHowLongAReplyChunkIsNeeded() {
        for (String chunk : List.of("0", "1 1 a 800 0 0")) {
            Bench bench = Bench.server(2, 2, null).receive("9 2 20 0  0 0  0 0 " + chunk + "  9 0");
            bench.reply(0, Bench.data(5000));
            assertEquals("SOUND 00000009 v2 credits=32 ERROR REPLY_RESOURCE 5012", bench.sent().getLast());
        }
    }

    @Test
    @Requirement({ "V2-5.1-a", "V2-7.2.4-q" })
    void shouldRefuseAnOptionThatItDoesNotKnow() {
        assertEquals("SOUND 00000009 v2 credits=32 ERROR INVALID_OPTION", answer("9 2 20 5  0 77 4 1"));
        Bench bench = Bench.server(2, 2, null).receive("9 2 20 5  1 77 0");
        assertTrue(bench.sent().stream().noneMatch(message -> message.contains("ERROR")), "an answer is never answered");
    }

    @Test
    @Requirement("V2-7.2.4-f,g")
    void shouldSendACallAgainWithoutReadChunksAndThenFail() {
        Bench bench = Bench.client(2, 2, null).answered(2, 8);
        Bench.Caller caller = bench.call(9, 0, Bench.data(5000));
        bench.receive("9 2 20 4  4 0");
        assertEquals("SOUND 00000009 v2 credits=32 NOMSG CALL invalidate=00000101 reads=[0:00000101:5012:0000000000101000]",
                bench.sent().getLast());
        bench.receive("9 2 20 4  4 0");
        assertEquals(Reason.READ_CHUNKS, ((CallFailedException) caller.failure).reason());
        assertEquals(2, bench.link.sent.size());
    }

    @Test
    @Requirement("V2-7.2.4-j")
    void shouldSendACallAgainWithoutWriteChunks() {
        Bench bench = Bench.client(2, 2, null).answered(2, 8);
        Bench.Caller caller = bench.call(9, List.of(Bench.data(5000)), 100);
        bench.receive("9 2 20 4  5 0");
        assertEquals("SOUND 00000009 v2 credits=32 MSG CALL invalidate=00000101 reply=[00000101:5100:0000000000101000]",
                bench.sent().getLast());
        assertNull(caller.failure);
    }

    @ParameterizedTest
    @CsvSource({ "2, BAD_XDR", "3, INVALID_PROCEDURE", "4 3, READ_CHUNKS", "5 1, WRITE_CHUNKS", "6 10, SEGMENTS",
            "7 1 2000, WRITE_RESOURCE", "8 2000, REPLY_RESOURCE", "9, INVALID_OPTION", "a, SYSTEM" })
    @Requirement("V2-7.2.4-r")
    void shouldFailTheCallOfEveryOtherError(String error, Reason reason) {
        Bench bench = Bench.client(2, 2, null).answered(2, 8);
        Bench.Caller caller = bench.call(9, 0, Bench.data(5000));
        bench.receive("9 2 20 4  " + error);
        assertEquals(reason, assertInstanceOf(CallFailedException.class, caller.failure).reason());
        assertTrue(bench.link.opened.stream().allMatch(opened -> opened.revoked));
        assertNotNull(bench.call(9, 0));
        assertEquals(2, bench.link.sent.size(), "the credit is free again");
    }
}

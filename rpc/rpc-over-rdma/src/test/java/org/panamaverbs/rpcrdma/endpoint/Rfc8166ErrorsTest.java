package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8166, 4.2, 4.5 and 4.6. */
class Rfc8166ErrorsTest {
    @ParameterizedTest
    @CsvSource({ "a Read list whose flag is 2, 9 1 20 0  2 0 0", "a Write chunk that is cut, 9 1 20 0  0 1 2 1 2 3 4 0 0",
            "another procedure, 9 1 20 7  0 0 0  9 0", "another XID in the payload, 9 1 20 0  0 0 0  8 0",
            "a payload that is neither call nor reply, 9 1 20 0  0 0 0  9 2", "no payload, 9 1 20 0  0 0 0",
            "neither payload nor chunks, 9 1 20 1  0 0 0", "a position that is no multiple of 4, 9 1 20 0  1 6 a 4 0 0 0 0 0  9 0 4",
            "a position behind the payload, 9 1 20 0  1 10 a 4 0 0 0 0 0  9 0 4",
            "a payload and a Position Zero chunk, 9 1 20 0  1 0 a 4 0 0 0 0 0  9 0 4",
            "a chunk longer than any message, 9 1 20 1  1 0 a ffffffff 0 0 0 0 0",
            "more segments than are taken, 9 1 20 0  0 0 1 9 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0 1 1 0 0  9 0",
            "MSGP, 9 1 20 2  0 0 0 0 0" })
    @Requirement({ "RFC8166-4.5-b,d..f", "RFC8166-4.5.2-a", "RFC8166-4.6.1-b" })
    void shouldAnswerABrokenCallByAnError(String what, String words) {
        Bench bench = Bench.server().receive(words);
        assertEquals(List.of("SOUND 00000009 v1 credits=32 ERROR BAD_XDR"), bench.sent(), what);
        assertTrue(bench.calls.isEmpty());
        // And the credit is free again.
        bench.receive("8 1 20 0  0 0 0  8 0");
        assertEquals(1, bench.calls.size());
    }

    @Test
    void shouldAnswerAReplyChunkThatIsTooSmallByAnError() {
        Bench bench = Bench.server().receive("9 1 20 0  0 0  1 1 a 400 0 10  9 0");
        bench.reply(0, Bench.data(1201));
        assertEquals(List.of("SOUND 00000009 v1 credits=32 ERROR BAD_XDR"), bench.sent());
        assertTrue(bench.link.written.isEmpty());
    }

    @Test
    @Requirement({ "RFC8166-4.2.2-a", "RFC8166-4.5-e", "RFC8166-4.5.1-a", "V2-8.2-a" })
    void shouldAnswerAnotherVersionByItsRange() {
        Bench bench = Bench.server().receive("9 2 20 0  0 0 0 0 0  9 0").receive("8 3 20 0  0 0 0  8 0").receive("7 0 20 0  0 0 0  7 0");
        assertEquals(3, bench.link.sent.size());
        assertEquals("SOUND 00000009 v2 credits=32 ERROR VERSION 1 1", bench.sent().getFirst());
        byte[] third = bench.link.sent.get(1).bytes();
        assertEquals(List.of(8, 3, 32, 4, 1, 1, 1),
                java.util.Arrays.stream(Bench.words(java.lang.foreign.MemorySegment.ofArray(third))).boxed().toList());
        assertTrue(bench.calls.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = { "9 1 20", "9 1 20 0", "9 1 20 0 0 0", "9 1 20 7 0 0", "9 3 20 0 0 0", "9 1 20 1 0 0" })
    @Requirement("RFC8166-4.5-a")
    void shouldDiscardWhatIsShorterThanAHeader(String words) {
        Bench bench = Bench.server().receive(words);
        assertTrue(bench.sent().isEmpty());
        assertNull(bench.link.failure);
    }

    @ParameterizedTest
    @CsvSource({ "ERROR, 9 1 20 4  2 0 0", "an ERROR that cannot be decoded, 9 1 20 4  77 0 0", "an ERROR without a code, 9 1 20 4",
            "an ERROR of a strange version, 9 3 20 4  1 1 2", "DONE, 9 1 20 3  0 0 0", "a reply to nothing, 9 1 20 0  0 0 0  9 1" })
    @Requirement({ "RFC8166-4.2.4-c", "RFC8166-4.5-g", "RFC8166-4.6.2-b" })
    void shouldDiscard(String what, String words) {
        for (Bench bench : List.of(Bench.server(), Bench.client())) {
            bench.receive(words);
            assertTrue(bench.sent().isEmpty(), what);
            assertNull(bench.link.failure, what);
            assertTrue(bench.calls.isEmpty(), what);
        }
    }

    @ParameterizedTest
    @CsvSource({ "a Read list whose flag is 2, 9 1 20 0  2 0 0", "no payload, 9 1 20 0  0 0 0", "another version, 9 2 20 0  1 0 0 0 0  9 1",
            "another procedure, 9 1 20 7  0 0 0", "MSGP, 9 1 20 2  0 0 0 0 0", "an ERROR that cannot be decoded, 9 1 20 4  3 0 0" })
    @Requirement({ "RFC8166-4.2.4-b", "RFC8166-4.5-c", "RFC8166-4.6.1-b" })
    void shouldNotAnswerABrokenReply(String what, String words) {
        Bench bench = Bench.client();
        Bench.Caller caller = bench.call(9, 0);
        bench.link.sent.clear();
        bench.receive(words);
        assertTrue(bench.sent().isEmpty(), what);
        assertNull(caller.failure, what);
        bench.receive("9 1 20 0  0 0 0  9 1");
        assertTrue(caller.answer != null, what);
    }

    @ParameterizedTest
    @CsvSource({ "another XID in the payload, 9 1 20 0  0 0 0  8 1", "a Reply chunk that was not offered, 9 1 20 1  0 0 1 1 a 8 0 0",
            "a Read list, 9 1 20 0  1 0 a 8 0 0 0 0 0  9 1" })
    @Requirement("RFC8166-4.5-c")
    void shouldFailACallWhoseReplyIsWrong(String what, String words) {
        Bench bench = Bench.client();
        Bench.Caller caller = bench.call(9, 0);
        bench.link.sent.clear();
        bench.receive(words);
        assertInstanceOf(CallFailedException.class, caller.failure, what);
        assertTrue(bench.sent().isEmpty());
    }

    @Test
    void shouldFailACallThatThePeerRefuses() {
        Bench bench = Bench.client();
        Bench.Caller caller = bench.call(9, 0);
        bench.receive("9 1 20 4  2");
        assertEquals(CallFailedException.Reason.BAD_XDR, ((CallFailedException) caller.failure).reason());
    }
}

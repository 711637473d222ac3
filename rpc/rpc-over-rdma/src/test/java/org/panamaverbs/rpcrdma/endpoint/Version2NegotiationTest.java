package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.conformance.Requirement;

/** Draft, 3.3, 7.2.1 and 8: the version that both speak, and the content of messages of version 2. */
class Version2NegotiationTest {
    @Test
    @Requirement("RFC8166-4.2.2-a")
    void shouldFallBackToTheVersionOfTheServer() {
        Bench bench = Bench.client(1, 2, null);
        Bench.Caller caller = bench.call(9, 0);
        assertEquals(List.of("SOUND 00000009 v2 credits=32 MSG CALL"), bench.sent());
        bench.receive("9 2 20 4  1 1 1");
        assertEquals("SOUND 00000009 v1 credits=32 MSG", bench.sent().getLast());
        bench.receive("9 1 20 0  0 0 0  9 1");
        assertNotNull(caller.answer);
        assertEquals(1, bench.endpoint.confirmedVersion());
    }

    @Test
    void shouldFailACallIfThereIsNoCommonVersion() {
        Bench bench = Bench.client(2, 2, null);
        Bench.Caller caller = bench.call(9, 0);
        bench.receive("9 2 20 4  1 1 1");
        assertEquals(CallFailedException.Reason.VERSION, assertInstanceOf(CallFailedException.class, caller.failure).reason());
    }

    @Test
    @Requirement("V2-8.3-a")
    void shouldAnswerInTheVersionOfTheCall() {
        Bench bench = Bench.server(1, 2, null);
        bench.receive("9 1 20 0  0 0 0  9 0");
        bench.reply(0);
        assertEquals(List.of("SOUND 00000009 v1 credits=32 MSG"), bench.sent());
    }

    @Test
    @Requirement("V2-3.3-b")
    void shouldSend1024BytesAtFirstAnd4096AfterTheFirstAnswer() {
        // Behind the header: XID, type and the numbers.
        Object[] numbers = numbers((1024 - 36) / 4 - 2);
        assertEquals("MSG", form(Bench.client(2, 2, null), numbers));
        assertEquals("NOMSG", form(Bench.client(2, 2, null), numbers((1024 - 36) / 4 - 1)));
        assertEquals("MSG", form(Bench.client(2, 2, null).answered(2, 8), numbers((4096 - 36) / 4 - 2)));
        assertEquals("NOMSG", form(Bench.client(2, 2, null).answered(2, 8), numbers((4096 - 36) / 4 - 1)));
    }

    private static Object[] numbers(int count) {
        Object[] numbers = new Object[count];
        java.util.Arrays.fill(numbers, 7);
        return numbers;
    }

    private static String form(Bench bench, Object... parts) {
        bench.call(9, 0, parts);
        return bench.sent().getLast().split(" ")[4];
    }

    @Test
    @Requirement("V2-7.2.1-a,b")
    void shouldPutAPayloadBehindMessagesAndNoneBehindErrors() {
        Bench bench = Bench.server(2, 2, null).receive("9 2 20 0  0 0  0 0 0  9 0");
        bench.link.sent.clear();
        bench.reply(0, 77);
        bench.receive("8 2 20 0  0 0  2 0 0");
        assertEquals(3, bench.payload(0).length);
        assertEquals(0, bench.payload(1).length);
        assertEquals("SOUND 00000008 v2 credits=32 ERROR BAD_XDR", bench.sent().getLast());
    }
}

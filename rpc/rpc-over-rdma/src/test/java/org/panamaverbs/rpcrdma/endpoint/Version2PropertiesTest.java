package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.testing.conformance.Requirement;

/** Draft, 6: transport properties. */
class Version2PropertiesTest {
    private static Bench server() {
        Bench bench = Bench.server(2, 2, null).receive("9 2 20 0  0 0  0 0 0  9 0");
        bench.reply(0);
        return bench;
    }

    @Test
    void shouldSayItsPropertiesOnceTheVersionIsKnown() {
        assertEquals(List.of("CONNPROP 1=4096 2=2 first=[1]", "MSG REPLY"),
                server().sent().stream().map(message -> message.substring(message.indexOf("credits=32 ") + 11)).toList());
    }

    @Test
    @Requirement("V2-6.1.1-b")
    void shouldPassOverPropertiesThatItDoesNotKnow() {
        Bench bench = server();
        bench.link.sent.clear();
        bench.receive("7 2 20 6  2 77 8 1 2 2 4 0 0");
        assertEquals(List.of(), bench.sent());
        Bench.Caller caller = bench.call(5, 0);
        // The known one behind it was taken: the peer takes no calls.
        assertInstanceOf(java.io.EOFException.class, caller.failure);
    }

    @ParameterizedTest
    @CsvSource({ "a smaller buffer, 1 1 4 800, first=[0]", "a larger one, 1 1 4 2000, second=[0]", "another support, 1 2 4 0, second=[0]",
            "an unknown one, 1 77 4 0, second=[0]", "three, 3 1 4 800 77 0 2 4 0, 'first=[0] second=[1,2]'", "nothing, 0, ''" })
    @Requirement("V2-6.3.3-a,c")
    void shouldAnswerEachRequestOnceInOneSubset(String what, String wanted, String answer) {
        Bench bench = server();
        bench.link.sent.clear();
        bench.receive("7 2 20 7  " + wanted);
        assertEquals(List.of(("SOUND 00000007 v2 credits=32 RESPROP " + answer).strip()), bench.sent(), what);
    }

    @ParameterizedTest
    @CsvSource({ "done, 1 1 0 0, 2048", "rejected, 0 1 1 0, 4096", "in both, 1 1 1 1 0, 4096", "in neither, 0 0 0, 4096",
            "another value, 0 0 1 1 4 c00, 3072", "another value of a property that was not asked for, 0 0 1 2 4 0, 4096",
            "another value beside one that was not asked for, 0 0 2 2 4 0 1 4 c00, 3072",
            "rejected and another value, 0 1 1 1 1 4 c00, 4096", "done and another value, 1 1 0 1 1 4 c00, 4096" })
    @Requirement("V2-6.3.3-b,d")
    void shouldTakeWhatIsMissingOrInconsistentForRejected(String what, String response, int expected) {
        Bench bench = server();
        // The peer takes calls with chunks.
        bench.receive("8 2 20 6  1 2 4 2 0");
        bench.link.sent.clear();
        bench.endpoint.requestReceiveSize(2048);
        String xid = bench.sent().getFirst().substring(6, 14);
        bench.receive(xid + " 2 20 8  " + response);
        assertEquals("MSG", form(bench, 5, expected), what);
        assertEquals("NOMSG", form(bench, 6, expected + 4), what);
    }

    /** The form of a call of so many bytes. */
    private static String form(Bench bench, int xid, int bytes) {
        Object[] numbers = new Object[(bytes - 36) / 4 - 2];
        java.util.Arrays.fill(numbers, 7);
        Bench.Caller caller = bench.call(xid, 0, numbers);
        assertNull(caller.failure);
        String form = bench.sent().getLast().split(" ")[4];
        bench.receive(xid + " 2 20 0  1 0  0 0 0  " + xid + " 1");
        return form;
    }
}

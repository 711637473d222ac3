package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 8167: a server calls its client, over the same connection. */
class Rfc8167Test {
    private static final String[] CALL = { "9 1 20 0  0 0 0  9 0", "9 2 20 0  0 0  0 0 0  9 0" };
    private static final String[] REPLY = { "5 1 20 0  0 0 0  5 1", "5 2 20 0  1 0  0 0 0  5 1" };

    private static Bench called(int version) {
        Bench bench = Bench.server(1, 2, null).receive(CALL[version - 1]);
        bench.reply(0);
        bench.link.sent.clear();
        return bench;
    }

    @Test
    @Requirement({ "RFC8167-5.1-a,b", "V2-7.2.2-a,b" })
    void shouldCallTheClientInTheVersionOfItsCalls() {
        for (int version = 1; version <= 2; version++) {
            Bench bench = called(version);
            Bench.Caller caller = bench.call(5, 0, 77);
            assertEquals(List.of("SOUND 00000005 v" + version + " credits=32 MSG" + (version == 2 ? " CALL" : "")), bench.sent());
            assertArrayEquals(new int[] { 5, 0, 77 }, bench.payload(0));
            bench.receive(REPLY[version - 1]);
            assertNotNull(caller.answer);
        }
    }

    @Test
    @Requirement("RFC8167-5.2-a,b")
    void shouldAnswerTheServerInTheVersionOfItsCall() {
        for (int version = 1; version <= 2; version++) {
            Bench bench = Bench.clientWithServices(version).answered(version, 8).receive(CALL[version - 1].replace('9', '8'));
            bench.reply(0, 77);
            assertEquals(List.of("SOUND 00000008 v" + version + " credits=32 MSG" + (version == 2 ? " REPLY" : "")), bench.sent());
            assertArrayEquals(new int[] { 8, 1, 77 }, bench.payload(0));
        }
    }

    @Test
    @Requirement("RFC8167-4.1-a")
    void shouldCountCreditsOfBothDirectionsApart() {
        Bench bench = called(1);
        bench.call(1, 0);
        // A call asks for credits, and an error with another XID says nothing: neither grants any to this side's calls.
        bench.receive("8 1 20 0  0 0 0  8 0").receive("7 1 20 4  2");
        bench.call(2, 0);
        bench.call(3, 0);
        assertEquals(1, bench.link.sent.size());
        bench.receive("1 1 2 0  0 0 0  1 1");
        assertEquals(3, bench.link.sent.size());
    }

    @Test
    void shouldNotConfuseACallWithAReplyOfTheSameXid() {
        Bench bench = called(1);
        Bench.Caller caller = bench.call(9, 0);
        bench.receive("9 1 20 0  0 0 0  9 0");
        assertEquals(2, bench.calls.size());
        assertEquals(null, caller.answer);
        bench.receive("9 1 20 0  0 0 0  9 1");
        assertNotNull(caller.answer);
    }
}

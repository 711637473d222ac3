package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** Calls with Read chunks take memory of this side: eight times the longest message at most, so that a peer cannot take all there is. */
class CallMemoryTest {
    /** A call with a Read chunk of 1,048,568 bytes at position 8: with XID and type the longest message of the bench. */
    private static String call(int xid) {
        String number = Integer.toHexString(xid);
        return number + " 1 20 0  1 8 77 ffff8 0 0  0 0 0  " + number + " 0";
    }

    @Test
    void shouldPutEightOfTheLongestCallsTogetherAtOnceAndTheOthersInTurn() {
        Bench bench = Bench.server(1, 1, null);
        for (int xid = 1; xid <= 10; xid++) {
            bench.receive(call(xid));
        }
        assertEquals(8, bench.calls.size());
        bench.reply(0);
        assertEquals(9, bench.calls.size());
        bench.reply(1);
        assertEquals(10, bench.calls.size());
        // The call that waited is whole.
        assertEquals(9, ((InboundCall) bench.calls.get(8).context()).xid);
        assertEquals(1 << 20, bench.calls.get(8).asBuffer().remaining());
        for (int call = 2; call < 10; call++) {
            bench.reply(call);
        }
        assertEquals(10, bench.sent().size());
        assertNull(bench.link.failure);
    }

    @Test
    void shouldNotKeepACallWithoutReadChunksWaiting() {
        Bench bench = Bench.server(1, 1, null);
        for (int xid = 1; xid <= 9; xid++) {
            bench.receive(call(xid));
        }
        bench.receive("20 1 20 0  0 0 0  20 0");
        assertEquals(9, bench.calls.size());
    }

    @Test
    void shouldForgetWhatWaitedWhenTheConnectionEnds() {
        Bench bench = Bench.server(1, 1, null);
        for (int xid = 1; xid <= 9; xid++) {
            bench.receive(call(xid));
        }
        bench.link.end("the test is over");
        for (int call = 0; call < 8; call++) {
            bench.reply(call);
        }
        assertEquals(8, bench.calls.size());
    }
}

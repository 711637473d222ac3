package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.Wire;

/** A reply in a Reply chunk lies in the chunk that was offered, and not beyond it. */
class ReplyChunkTest {
    @ParameterizedTest
    @CsvSource({ "a longer one, 0, 1389, 0", "another handle, 1, 8, 0", "another offset, 0, 8, 1" })
    void shouldRefuseAChunkThatWasNotOffered(String what, int handle, String length, int offset) {
        Bench bench = Bench.client().answered(1, 20);
        Bench.Caller caller = bench.call(5, 5000);
        FakeLink.Opened chunk = bench.link.opened.getLast();
        bench.receive("5 1 20 1  0 0 1  1 " + Integer.toHexString(chunk.handle + handle) + " " + length + " 0 "
                + Integer.toHexString((int) chunk.offset() + offset));
        CallFailedException failure = assertInstanceOf(CallFailedException.class, caller.failure, what);
        assertEquals(CallFailedException.Reason.BAD_REPLY, failure.reason(), failure::getMessage);
        // 5,001 bytes are refused by their number, and not because they hold no reply.
        assertEquals(true, failure.getMessage().contains("Reply chunk"), failure::getMessage);
    }

    @Test
    void shouldTellEveryCallerThoughOneThrows() {
        Bench bench = Bench.client().answered(1, 20);
        MessageXdr message = new MessageXdr();
        message.beginEncoding();
        message.xdrEncodeInt(7);
        message.xdrEncodeInt(Wire.CALL);
        message.endEncoding();
        Bench.Caller throwing = new Bench.Caller() {
            @Override
            public void failed(Throwable cause) {
                throw new IllegalStateException("a caller's mistake");
            }
        };
        bench.endpoint.call(new OutboundCall(7, message, List.of(), 0, false, throwing));
        Bench.Caller other = bench.call(8, 0);
        bench.link.end("the test is over");
        bench.link.run();
        assertEquals(1, other.heard);
        assertEquals("java.lang.IllegalStateException: a caller's mistake", bench.link.failure);
    }

    @Test
    void shouldFailTheCallAloneWhoseCallerCannotTakeTheAnswer() {
        Bench bench = Bench.client().answered(1, 20);
        Bench.Caller throwing = new Bench.Caller() {
            @Override
            public void answered(MessageXdr reply) {
                throw new OutOfMemoryError("for the results");
            }
        };
        MessageXdr message = new MessageXdr();
        message.beginEncoding();
        message.xdrEncodeInt(7);
        message.xdrEncodeInt(Wire.CALL);
        message.endEncoding();
        bench.endpoint.call(new OutboundCall(7, message, List.of(), 0, false, throwing));
        bench.receive("7 1 20 0  0 0 0  7 1");
        assertInstanceOf(OutOfMemoryError.class, throwing.failure);
        assertEquals(1, throwing.heard);
        Bench.Caller other = bench.call(8, 0);
        bench.receive("8 1 20 0  0 0 0  8 1");
        assertEquals(1, other.heard);
        assertEquals(null, bench.link.failure);
    }
}

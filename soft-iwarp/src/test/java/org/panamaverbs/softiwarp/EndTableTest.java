package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.wire.TerminateCode;

class EndTableTest {
    @ParameterizedTest
    // @formatter:off
    @CsvSource({
            "ORDERLY, ORDERLY, false, ",
            "CLOSED_EARLY, ORDERLY, false, ",
            "LOCAL_ERROR, LOCAL_ERROR, true, QUEUE_PAIR_ACCESS_ERROR",
            "PEER_ERROR, REMOTE_ERROR, true, QUEUE_PAIR_FATAL",
            "GIVEN_UP, LOST, false, QUEUE_PAIR_FATAL",
            "CUT_SHORT, LOST, false, QUEUE_PAIR_FATAL",
            "BROKEN, LOST, false, QUEUE_PAIR_FATAL",
            "DEFECT, LOCAL_ERROR, false, QUEUE_PAIR_FATAL" })
    // @formatter:on
    void shouldSayTheSameToAllWhoAsk(EndReason.Kind kind, ConnectionEnd.Cause cause, boolean terminates, AsynchronousEvent.Type event) {
        PeerException failure = new PeerException("it broke");
        EndReason reason = new EndReason(kind, TerminateCode.TAGGED_BOUNDS, failure);
        ConnectionEnd end = EndTable.connectionEnd(reason, "the connection");
        assertEquals(cause, end.cause());
        assertEquals(terminates ? OptionalInt.of(TerminateCode.TAGGED_BOUNDS) : OptionalInt.empty(), end.terminate());
        assertEquals(event, EndTable.event(reason).orElse(null));
        if (kind == EndReason.Kind.BROKEN) {
            assertEquals(failure, end.failure().orElseThrow());
        } else {
            assertTrue(end.failure().map(each -> each.getMessage().startsWith("the connection: "))
                    .orElse(cause == ConnectionEnd.Cause.ORDERLY));
        }
    }

    @ParameterizedTest
    @CsvSource({ "0x1100, QUEUE_PAIR_ACCESS_ERROR", "0x0102, QUEUE_PAIR_ACCESS_ERROR", "0x2002, QUEUE_PAIR_REQUEST_ERROR",
            "0x1202, QUEUE_PAIR_REQUEST_ERROR" })
    void shouldTellErrorsOfAccessFromOthers(String code, AsynchronousEvent.Type event) {
        EndReason reason = new EndReason(EndReason.Kind.LOCAL_ERROR, Integer.decode(code), null);
        assertEquals(event, EndTable.event(reason).orElseThrow());
    }
}

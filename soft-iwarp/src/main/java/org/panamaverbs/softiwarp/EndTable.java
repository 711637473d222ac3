package org.panamaverbs.softiwarp;

import java.util.Optional;
import java.util.OptionalInt;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The reason for the end of a stream, as a program sees it:
 *
 * <pre>
 * EndReason.Kind          ConnectionEnd.Cause  Terminate  AsynchronousEvent.Type
 * ORDERLY, CLOSED_EARLY   ORDERLY              -          -
 * LOCAL_ERROR             LOCAL_ERROR          sent       QUEUE_PAIR_ACCESS_ERROR or QUEUE_PAIR_REQUEST_ERROR
 * PEER_ERROR              REMOTE_ERROR         received   QUEUE_PAIR_FATAL
 * GIVEN_UP, CUT_SHORT     LOST                 -          QUEUE_PAIR_FATAL
 * BROKEN                  LOST                 -          QUEUE_PAIR_FATAL
 * DEFECT                  LOCAL_ERROR          -          QUEUE_PAIR_FATAL
 * </pre>
 *
 * The peer cannot be told of the loss of the stream: so a LOST end names no Terminate.
 */
final class EndTable {
    private EndTable() {
    }

    /** The end that the connection tells the program; {@code connection} names the connection in the failure. */
    static ConnectionEnd connectionEnd(EndReason reason, String connection) {
        return switch (reason.kind()) {
            case ORDERLY, CLOSED_EARLY -> ConnectionEnd.orderly();
            case LOCAL_ERROR -> end(ConnectionEnd.Cause.LOCAL_ERROR, OptionalInt.of(reason.terminate()), reason, connection);
            case PEER_ERROR -> end(ConnectionEnd.Cause.REMOTE_ERROR, OptionalInt.of(reason.terminate()), reason, connection);
            case GIVEN_UP, CUT_SHORT, BROKEN -> end(ConnectionEnd.Cause.LOST, OptionalInt.empty(), reason, connection);
            case DEFECT -> end(ConnectionEnd.Cause.LOCAL_ERROR, OptionalInt.empty(), reason, connection);
        };
    }

    private static ConnectionEnd end(ConnectionEnd.Cause cause, OptionalInt terminate, EndReason reason, String connection) {
        return new ConnectionEnd(cause, terminate, Optional.of(reason.failure(connection)));
    }

    /** The asynchronous event of the queue pair; empty after an end in good order. */
    static Optional<AsynchronousEvent.Type> event(EndReason reason) {
        return switch (reason.kind()) {
            case ORDERLY, CLOSED_EARLY -> Optional.empty();
            case LOCAL_ERROR -> Optional.of(TerminateCode.isProtection(reason.terminate()) ? AsynchronousEvent.Type.QUEUE_PAIR_ACCESS_ERROR
                    : AsynchronousEvent.Type.QUEUE_PAIR_REQUEST_ERROR);
            case PEER_ERROR, GIVEN_UP, CUT_SHORT, BROKEN, DEFECT -> Optional.of(AsynchronousEvent.Type.QUEUE_PAIR_FATAL);
        };
    }
}

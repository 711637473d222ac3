package org.panamaverbs.softiwarp.qp;

import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * Why a stream ended. The thread that ends the stream makes the reason, {@link StreamLife} keeps the first one, and all that is said of the
 * end follows from it.
 *
 * @param kind      which side ended the stream, and how
 * @param terminate the error of the Terminate that this side sends or has received, one of {@link TerminateCode};
 *                  {@link TerminateCode#NONE} without a Terminate
 * @param cause     the failure of the connection or of soft-iwarp; {@code null} for all other kinds
 */
public record EndReason(Kind kind, int terminate, Throwable cause) {
    /** Which side ended a stream, and how. */
    public enum Kind {
        /** One side ended the stream, and nothing was outstanding. */
        ORDERLY,
        /** The program closed the stream with requests outstanding. The Terminate tells the peer not to expect more (RFC 5040, 6.2.1). */
        CLOSED_EARLY,
        /** This side found an error in what the peer sent, or in a request of its own. */
        LOCAL_ERROR,
        /** The peer sent a Terminate. */
        PEER_ERROR,
        /** After the disconnect the peer took no data, or did not answer a Read in full. */
        GIVEN_UP,
        /** The peer ended its direction in the middle of a message. */
        CUT_SHORT,
        /** The channel broke. */
        BROKEN,
        /** A step of soft-iwarp itself failed: memory ran out, a class could not be loaded, or there is a bug. */
        DEFECT
    }

    /** One side ended the stream in good order. */
    static final EndReason ORDERLY = new EndReason(Kind.ORDERLY, TerminateCode.NONE, null);
    /** The program closed the stream with requests outstanding. */
    static final EndReason CLOSED_EARLY = new EndReason(Kind.CLOSED_EARLY, TerminateCode.LOCAL_CATASTROPHIC, null);
    /** The peer took no data after the disconnect. */
    static final EndReason GIVEN_UP = new EndReason(Kind.GIVEN_UP, TerminateCode.LOCAL_CATASTROPHIC, null);
    /** The peer ended its direction in the middle of a message. */
    static final EndReason CUT_SHORT = new EndReason(Kind.CUT_SHORT, TerminateCode.NONE, null);

    /** This side found an error. */
    static EndReason localError(int terminate) {
        return new EndReason(Kind.LOCAL_ERROR, terminate, null);
    }

    /** The peer sent a Terminate. */
    static EndReason peerError(int terminate) {
        return new EndReason(Kind.PEER_ERROR, terminate, null);
    }

    /** The channel broke. */
    public static EndReason broken(VerbsException failure) {
        return new EndReason(Kind.BROKEN, TerminateCode.NONE, failure);
    }

    /** A step of soft-iwarp itself failed. */
    public static EndReason defect(Throwable failure) {
        return new EndReason(Kind.DEFECT, TerminateCode.NONE, failure);
    }

    /** Whether nothing can be sent any more, because the channel broke, or the described segments cannot be trusted. */
    public boolean isSilent() {
        return kind == Kind.BROKEN || kind == Kind.DEFECT;
    }

    /**
     * The failure, in words.
     *
     * @param connection names the connection
     * @return {@code null} for a program that ended the stream as it wanted
     */
    public VerbsException failure(String connection) {
        return switch (kind) {
            case ORDERLY, CLOSED_EARLY -> null;
            case LOCAL_ERROR -> new PeerException(connection + ": terminated by this side: " + TerminateCode.describe(terminate));
            case PEER_ERROR -> new PeerException(connection + ": the peer terminated it: " + TerminateCode.describe(terminate));
            case GIVEN_UP -> new PeerException(connection
                    + ": nothing was sent for 2 s after the disconnect: the peer took no data, or did not answer a Read in full; "
                    + "outstanding requests are flushed");
            case CUT_SHORT -> new PeerException(connection + ": the peer closed it in the middle of a message");
            case BROKEN -> (VerbsException) cause;
            case DEFECT -> new SystemException(
                    connection + ": soft-iwarp itself failed: " + cause + "; the log has more. Unless memory ran out, please report it",
                    cause);
        };
    }
}

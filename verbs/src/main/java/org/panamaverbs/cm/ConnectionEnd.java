package org.panamaverbs.cm;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.panamaverbs.VerbsException;

/**
 * How a connection ended.
 *
 * @param cause     which side ended it, and how
 * @param terminate the layer, type and code of the Terminate that was sent or received, as {@code 0xLTCC} (RFC 5040, figure 9; RFC 5041,
 *                  7.2; RFC 5044, 8; RFC 6581, 8); empty without a Terminate, and on devices whose drivers do not report it
 * @param failure   the failure, in words; empty if the cause is {@link Cause#ORDERLY}
 */
public record ConnectionEnd(Cause cause, OptionalInt terminate, Optional<VerbsException> failure) {
    /** Which side ended a connection, and how. */
    public enum Cause {
        /** One side disconnected, or closed its queue pair, in good order. */
        ORDERLY,
        /** This side found an error: in what the peer sent, in a request of its own, or in the device. */
        LOCAL_ERROR,
        /** The peer reported an error, or refused a request. */
        REMOTE_ERROR,
        /**
         * The connection broke without a word of the peer: the peer died, the network lost the connection, or the peer took nothing more
         * after this side disconnected. No Terminate is known to have reached the peer.
         */
        LOST
    }

    /** Checks that only an orderly end has no failure. */
    public ConnectionEnd {
        Objects.requireNonNull(terminate);
        if (cause == Cause.ORDERLY == failure.isPresent()) {
            throw new IllegalArgumentException("an end has a failure unless it is ORDERLY: " + cause + ", " + failure);
        }
    }

    /** An end in good order. */
    static final ConnectionEnd IN_GOOD_ORDER = new ConnectionEnd(Cause.ORDERLY, OptionalInt.empty(), Optional.empty());

    /** {@return an end in good order; always the same} */
    public static ConnectionEnd orderly() {
        return IN_GOOD_ORDER;
    }

    /** {@return the layer that found the error; 0 for RDMA, 1 for DDP, 2 for the layer below; empty without a Terminate} */
    public OptionalInt layer() {
        return terminate.isEmpty() ? terminate : OptionalInt.of(terminate.getAsInt() >>> 12 & 0xF);
    }

    /** {@return the type of the error within its layer; 0 to 15; empty without a Terminate} */
    public OptionalInt type() {
        return terminate.isEmpty() ? terminate : OptionalInt.of(terminate.getAsInt() >>> 8 & 0xF);
    }

    /** {@return the code of the error within its layer and type; 0 to 255; empty without a Terminate} */
    public OptionalInt code() {
        return terminate.isEmpty() ? terminate : OptionalInt.of(terminate.getAsInt() & 0xFF);
    }
}

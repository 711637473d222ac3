package org.panamaverbs.cm;

import java.util.OptionalInt;
import org.panamaverbs.PeerException;

/** The peer's program refused the connection. */
public final class RejectedException extends PeerException {
    private static final long serialVersionUID = 1L;
    private static final int UNSAID = -1;

    /** The peer's private data. */
    private final byte[] privateData;
    private final int inboundReads;
    private final int outboundReads;

    /**
     * Makes one that tells no depths of Reads.
     *
     * @param message     the peer that the program tried to connect to
     * @param privateData the peer's private data; copied
     */
    public RejectedException(String message, byte[] privateData) {
        this(message, privateData, OptionalInt.empty(), OptionalInt.empty());
    }

    /**
     * Makes one.
     *
     * @param message             the peer that the program tried to connect to
     * @param privateData         the peer's private data; copied
     * @param remoteInboundReads  the peer's IRD, 0 or more
     * @param remoteOutboundReads the peer's ORD, 0 or more
     */
    public RejectedException(String message, byte[] privateData, OptionalInt remoteInboundReads, OptionalInt remoteOutboundReads) {
        super(message);
        this.privateData = privateData.clone();
        this.inboundReads = remoteInboundReads.orElse(UNSAID);
        this.outboundReads = remoteOutboundReads.orElse(UNSAID);
    }

    /**
     * Makes one of another that says the same, with this thread's stack trace.
     *
     * @param cause the other
     */
    public RejectedException(RejectedException cause) {
        super(cause.getMessage(), cause);
        this.privateData = cause.privateData;
        this.inboundReads = cause.inboundReads;
        this.outboundReads = cause.outboundReads;
    }

    /** {@return the private data of the peer's program; a copy; empty if there was nothing} */
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * How many Reads of ours the peer would serve at a time (its IRD). A reject carries it over iWARP with MPA revision 2 (RFC 6581, 9.1).
     * soft-iwarp reports it; librdmacm does not, whatever the device. A peer on siw repeats the depths that it was asked for instead.
     *
     * @return 0 to 16,382, or empty if the peer or the driver does not say
     */
    public OptionalInt remoteInboundReads() {
        return optional(inboundReads);
    }

    /**
     * How many Reads of its own the peer wants outstanding (its ORD): if the peer refused because this side serves too few, so many are
     * needed. Reported as {@link #remoteInboundReads()} is.
     *
     * @return 0 to 16,382, or empty if the peer or the driver does not say
     */
    public OptionalInt remoteOutboundReads() {
        return optional(outboundReads);
    }

    private static OptionalInt optional(int reads) {
        return reads == UNSAID ? OptionalInt.empty() : OptionalInt.of(reads);
    }
}

package org.panamaverbs.ddp;

/** The transports of DDP, with the characteristics that decide which ordering rules hold (RFC 4296, 2.1.3). */
public enum DdpTransport {
    /** RFC 5041 over MPA and TCP (RFC 5044), without RDMAP: a {@link DdpStreamSocket}. */
    MPA(true, true),
    /**
     * RFC 5041 over SCTP (RFC 5043), without RDMAP: a {@link DdpStreamSocket}. It needs the module {@code jdk.sctp}, and on Linux the
     * library libsctp and a kernel with SCTP.
     */
    SCTP(true, true),
    /** DDPP core over TCP. */
    TCP(true, true),
    /**
     * DDPP core over UDP, to one receiver or to a multicast group: a {@link DdpDatagramSocket}. Unordered, unless
     * {@link DdpOptions#ordered()} is set: then a receiver drops what comes late.
     */
    UDP(false, false),
    /** DDPP core inside one context, for tests: no message is lost, and the messages arrive in an order drawn from a seed. */
    MEMORY(true, false);

    private final boolean reliable;
    private final boolean ordered;

    DdpTransport(boolean reliable, boolean ordered) {
        this.reliable = reliable;
        this.ordered = ordered;
    }

    /**
     * Whether each message arrives, exactly once.
     *
     * @return {@code false} for UDP
     */
    public boolean isReliable() {
        return reliable;
    }

    /**
     * Whether messages are delivered in the order in which they were sent.
     *
     * @return {@code false} for UDP and MEMORY
     */
    public boolean isOrdered() {
        return ordered;
    }

    /**
     * Whether the transport carries RFC 5041, with the ULP's fields in its headers, and not DDPP core.
     *
     * @return {@code true} for MPA and SCTP
     */
    public boolean isStream() {
        return this == MPA || this == SCTP;
    }
}

package org.panamaverbs.softiwarp.memory;

/** The reason why a peer, or one of our own requests, may not access memory. */
public enum Fault {
    /** None: the access is allowed. */
    NONE,
    /** No live region has this STag. */
    INVALID_STAG,
    /** The STag is not valid on this stream: it belongs to another protection domain or queue pair (RFC 5041, 8.2). */
    NOT_OF_STREAM,
    /** The region lacks an access right. */
    ACCESS,
    /** The range is not within the region. */
    BOUNDS,
    /** The offset and the length wrap around 2^64. */
    WRAP
}

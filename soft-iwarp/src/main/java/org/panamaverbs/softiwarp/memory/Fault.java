package org.panamaverbs.softiwarp.memory;

/** The reason why a peer, or one of our own requests, may not access memory. */
public enum Fault {
    /** None: the access is allowed. */
    NONE,
    /** No live region has this STag. */
    INVALID_STAG,
    /** The region belongs to another protection domain. */
    OTHER_DOMAIN,
    /** The region lacks an access right. */
    ACCESS,
    /** The range is not within the region. */
    BOUNDS,
    /** The offset and the length wrap around 2^64. */
    WRAP
}

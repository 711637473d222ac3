package org.panamaverbs.softiwarp.memory;

/** Why a peer, or a request of our own, may not use a piece of memory. */
public enum Fault {
    /** It may. */
    NONE,
    /** No live region has this STag. */
    INVALID_STAG,
    /** The region belongs to another protection domain. */
    OTHER_DOMAIN,
    /** The region lacks the right. */
    ACCESS,
    /** The range is not within the region. */
    BOUNDS,
    /** The offset and the length wrap around 2^64. */
    WRAP
}

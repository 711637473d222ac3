package org.panamaverbs;

/** The rights to a region besides reading it locally, which is always allowed ({@code ibv_access_flags}). */
public enum Access {
    /** The device may write it: receives and Reads land there. */
    LOCAL_WRITE,
    /** The peer may write it; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE,
    /** The peer may read it. */
    REMOTE_READ,
    /** The peer may change it by atomics; needs {@link #LOCAL_WRITE} and {@link Capability#ATOMIC}. */
    REMOTE_ATOMIC,
    /** Memory windows may be bound to it; needs {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}. */
    BIND_MEMORY_WINDOW,
    /**
     * Its pages need not be in memory all the time: the device asks for those it needs, so that nothing is pinned; needs
     * {@link Capability#ON_DEMAND_PAGING}.
     */
    ON_DEMAND,
    /**
     * All its pages are huge pages, and the device may ask for them as such ({@code IBV_ACCESS_HUGETLB}). A hint that counts together with
     * {@link #ON_DEMAND}; a device that pins memory sees by itself which pages are huge.
     */
    HUGE_PAGES,
    /**
     * The device may write it in any order, which is faster on some machines: the data that the peer wrote is sure to be there
     * only once a completion tells so, never because a later byte is there. A hint, which every device takes and
     * {@link Capability#RELAXED_ORDERING} uses.
     */
    RELAXED_ORDERING
}

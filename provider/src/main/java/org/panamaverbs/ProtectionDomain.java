package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/** What keeps strangers apart: queue pairs and regions work together only within one domain ({@code ibv_pd}; RFC 5040, 8.1.1). */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * The device it belongs to.
     *
     * @return never changes
     */
    Device device();

    /**
     * Registers memory, so that requests and the peer may use it.
     *
     * <p>While it is registered its arena cannot be closed ({@link java.lang.foreign.Arena#close} is refused), nor is its memory collected:
     * close the regions, or what they belong to, before the arena.
     *
     * <p>The segment is off-heap and of an arena that any thread may use (shared, automatic, global): mapped files are fine, of any
     * length. Its offsets in this API count from its start; the peer's addresses from {@link MemoryRegion#address()}.
     *
     * @param segment 1 byte or more
     * @param access  the rights; without any, the memory can only be sent from
     * @return closed by the caller, or with the domain
     * @throws IllegalArgumentException for a heap segment, a confined one, an empty one, a right that needs another, or the right to
     *                                  write what is read-only
     * @throws IllegalStateException    where the segment's arena is closed
     * @throws ResourceException        where a limit is reached
     * @throws ClosedException          where the domain is closed
     */
    MemoryRegion register(MemorySegment segment, Access... access);

    /** Closes the domain's queue pairs, then its regions, then the domain. */
    @Override
    void close();
}

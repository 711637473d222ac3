package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** A registered segment as the protocol sees it, with its access rights. */
public final class RegisteredMemory extends Registered {
    private final MemorySegment segment;
    private final boolean mapped;
    private final Object domain;
    private final int access;
    private final long base;
    /** The queue pair whose peer may invalidate it, or {@code null}. */
    private final Object invalidator;
    private final Crc32cViews crcViews;

    /**
     * Makes registered memory that has no STag yet. Its Tagged Offsets are the addresses of its bytes, as with the kernel's driver, and no
     * peer may invalidate it.
     *
     * @param segment native memory that any thread may use
     * @param domain  the protection domain that a queue pair must have, too; compared by identity
     * @param access  the bits of the API's access rights
     */
    public RegisteredMemory(MemorySegment segment, Object domain, int access) {
        this(segment, domain, access, segment.address(), null);
    }

    /**
     * Makes registered memory that has no STag yet.
     *
     * @param segment     native memory that any thread may use
     * @param domain      the protection domain that a queue pair must have, too; compared by identity
     * @param access      the bits of the API's access rights
     * @param base        the Tagged Offset of the first byte
     * @param invalidator the queue pair whose peer may invalidate it, compared by identity; {@code null} if no peer may
     */
    public RegisteredMemory(MemorySegment segment, Object domain, int access, long base, Object invalidator) {
        this.base = base;
        this.invalidator = invalidator;
        this.segment = segment;
        this.mapped = segment.isMapped();
        this.domain = domain;
        this.access = access;
        this.crcViews = new Crc32cViews(segment);
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** Whether it is a mapped file, which another process may truncate at any time. */
    public boolean isMapped() {
        return mapped;
    }

    @Override
    public long base() {
        return base;
    }

    /** Whether the peer of a queue pair may invalidate it. */
    public boolean isInvalidatedBy(Object queuePair) {
        return invalidator != null && invalidator == queuePair;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    /** The bits of the access rights. */
    public int access() {
        return access;
    }

    /** Whether it belongs to a protection domain. */
    public boolean isOf(Object other) {
        return domain == other;
    }

    /** Whether the access rights include all of these. */
    public boolean allows(int rights) {
        return (access & rights) == rights;
    }

    /** Whether the memory can be used: it is not retired, and its arena is open. */
    public boolean isLive() {
        return !isRetired() && segment.scope().isAlive();
    }

    /**
     * Checks an access.
     *
     * @param wanted   the protection domain of the queue pair
     * @param rights   the access rights needed
     * @param tagged   the Tagged Offset, unsigned
     * @param size     bytes, 0 or more
     * @return {@link Fault#NONE} if the access is allowed
     */
    public Fault check(Object wanted, int rights, long tagged, long size) {
        if (!isLive()) {
            return Fault.INVALID_STAG;
        }
        if (domain != wanted) {
            return Fault.OTHER_DOMAIN;
        }
        if (!allows(rights)) {
            return Fault.ACCESS;
        }
        if (Long.compareUnsigned(tagged, -size) > 0 && size != 0) {
            return Fault.WRAP;
        }
        return contains(tagged - base(), size) ? Fault.NONE : Fault.BOUNDS;
    }

    /**
     * Ends a copy into or out of the memory. If a mapped file was truncated meanwhile, the JVM reports that here at the latest. Called
     * between {@link #enter()} and {@link #exit()}.
     *
     * @throws InternalError if the file was truncated; some bytes may have been copied
     */
    public void settle() {
        if (mapped) {
            reportFaults();
        }
    }

    /**
     * Makes the JVM report that a mapped file was truncated while this thread touched it.
     *
     * @throws InternalError if one was
     */
    static void reportFaults() {
        // The JVM has recorded the fault, and throws when the thread next checks for recorded faults. Compiled code checks at the end of a
        // loop or method, which may be long after the caller's catch block; a native method checks when it returns.
        Thread.holdsLock(RegisteredMemory.class);
    }

    /**
     * Adds a part to a checksum. Called between {@link #enter()} and {@link #exit()}.
     *
     * @throws IllegalStateException if the arena is closed
     */
    public void update(CRC32C crc, long offset, long size) {
        crcViews.update(crc, offset, size);
    }
}

package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32C;

/**
 * A registered segment as the protocol sees it: its STag, its access rights, and the number of threads that use it now.
 *
 * <p>A thread touches the memory only between {@link #enter()} and {@link #exit()}, for a short time and without waiting. {@link #retire}
 * waits until no thread is between the two, and no thread can enter after it. So nothing touches the memory after a retirement.
 */
public final class RegisteredMemory {
    private static final VarHandle USERS = Fields.of(MethodHandles.lookup(), "users", int.class);

    /** Added to the number of users when the memory is retired: then no thread can enter any more. */
    private static final int RETIRED = 1 << 30;

    private final MemorySegment segment;
    private final boolean mapped;
    private final Object domain;
    private final int access;
    private final long base;
    /** The queue pair whose peer may invalidate it, or {@code null}. */
    private final Object invalidator;
    private final Crc32cViews crcViews;
    private int stag;
    /** How many threads are between enter and exit; plus {@link #RETIRED} after {@link #retire}. */
    private volatile int users;

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

    /** Called by the table that assigns the STag. */
    void stag(int assigned) {
        stag = assigned;
    }

    /** The STag: 24 bits of index, 8 bits of key. */
    public int stag() {
        return stag;
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** Whether it is a mapped file, which another process may truncate at any time. */
    public boolean isMapped() {
        return mapped;
    }

    /** The Tagged Offset of the first byte. */
    public long base() {
        return base;
    }

    /** Whether the peer of a queue pair may invalidate it. */
    public boolean isInvalidatedBy(Object queuePair) {
        return invalidator != null && invalidator == queuePair;
    }

    /** The length in bytes. */
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

    /** Whether the registration has ended. The arena may be closed even before. */
    public boolean isRetired() {
        return users >= RETIRED;
    }

    /** Whether the memory can be used: it is not retired, and its arena is open. */
    public boolean isLive() {
        return users < RETIRED && segment.scope().isAlive();
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

    /** Whether a range lies within the memory. Its offset counts from the start and is unsigned. */
    public boolean contains(long offset, long size) {
        return size <= length() && Long.compareUnsigned(offset, length() - size) <= 0;
    }

    /**
     * Begins to use the memory.
     *
     * @return {@code false} if the memory is retired and must not be touched
     */
    public boolean enter() {
        if ((int) USERS.getAndAdd(this, 1) >= RETIRED) {
            USERS.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /** Ends the use that {@link #enter()} began. */
    public void exit() {
        USERS.getAndAdd(this, -1);
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
     * Lets no thread enter any more, and busy-waits for the threads that have entered: they exit soon, since they do not wait.
     *
     * @return {@code false} if the memory was retired before
     */
    public boolean retire() {
        int before = (int) USERS.getAndBitwiseOr(this, RETIRED);
        boolean first = before < RETIRED;
        for (int spins = 0; users != RETIRED; spins++) {
            if (spins < 1000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
        return first;
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

package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32C;

/**
 * A registered segment, as the protocol sees it: its STag, its rights, and who uses it right now.
 *
 * <p>Whoever touches the memory does so between {@link #enter()} and {@link #exit()}, which are short and never wait; {@link #retire}
 * waits until nobody is in between, and nobody enters after it. So the memory is untouched once a deregistration has returned.
 */
public final class RegisteredMemory {
    private static final VarHandle USERS = Fields.of(MethodHandles.lookup(), "users", int.class);

    /** Added to the number of users once nobody may enter any more. */
    private static final int RETIRED = 1 << 30;

    private final MemorySegment segment;
    private final boolean mapped;
    private final Object domain;
    private final int access;
    private final Crc32cViews crcViews;
    private int stag;
    /** How many threads are between enter and exit, plus RETIRED. */
    private volatile int users;

    /**
     * Makes one that has no STag yet.
     *
     * @param segment native memory that any thread may use
     * @param domain  what queue pairs must share with it; compared by identity
     * @param access  the bits of the API's rights
     */
    public RegisteredMemory(MemorySegment segment, Object domain, int access) {
        this.segment = segment;
        this.mapped = segment.isMapped();
        this.domain = domain;
        this.access = access;
        this.crcViews = new Crc32cViews(segment);
    }

    /** Called by the table that gives it its STag. */
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

    /** Whether it is a mapped file, which another process may cut short at any time. */
    public boolean isMapped() {
        return mapped;
    }

    /** The Tagged Offset of the first byte: its address, as with the kernel's driver. */
    public long base() {
        return segment.address();
    }

    /** Its length in bytes. */
    public long length() {
        return segment.byteSize();
    }

    /** The bits of its rights. */
    public int access() {
        return access;
    }

    /** Whether it belongs to a domain. */
    public boolean isOf(Object other) {
        return domain == other;
    }

    /** Whether its rights include all of these. */
    public boolean allows(int rights) {
        return (access & rights) == rights;
    }

    /** Whether its registration has ended; its arena may be closed all the same. */
    public boolean isRetired() {
        return users >= RETIRED;
    }

    /** Whether it may still be entered: neither retired nor its arena closed. */
    public boolean isLive() {
        return users < RETIRED && segment.scope().isAlive();
    }

    /**
     * Checks what a peer wants with it.
     *
     * @param wanted   the domain of the peer's queue pair
     * @param rights   the rights needed
     * @param tagged   the Tagged Offset, unsigned
     * @param size     bytes, 0 or more
     * @return {@link Fault#NONE} where it may
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

    /** Whether a range, its offset from the start taken as unsigned, lies within. */
    public boolean contains(long offset, long size) {
        return size <= length() && Long.compareUnsigned(offset, length() - size) <= 0;
    }

    /**
     * Begins to use the memory.
     *
     * @return {@code false} where it is retired, and must not be touched
     */
    public boolean enter() {
        if ((int) USERS.getAndAdd(this, 1) >= RETIRED) {
            USERS.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /** Ends the use begun by {@link #enter()}. */
    public void exit() {
        USERS.getAndAdd(this, -1);
    }

    /**
     * Ends a copy into or out of the memory: if a mapped file was cut short meanwhile, the JVM reports that here at the latest. Between
     * {@link #enter()} and {@link #exit()}.
     *
     * @throws InternalError if the file was cut short; some bytes may have been copied
     */
    public void settle() {
        if (mapped) {
            // The JVM has noted the fault, and throws when the thread next looks for such notes. Compiled code does that at the end of a
            // loop or of a method, which may be long after the caller's catch; a native method does it when it returns.
            Thread.holdsLock(this);
        }
    }

    /**
     * Lets nobody enter any more, and waits for those who have: they are within a call that does not wait.
     *
     * @return {@code false} where it was retired before
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
     * Adds a part to a checksum; between {@link #enter()} and {@link #exit()}.
     *
     * @throws IllegalStateException where the arena is closed
     */
    public void update(CRC32C crc, long offset, long size) {
        crcViews.update(crc, offset, size);
    }
}

package org.panamaverbs.spi;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;

/** What memory can be registered, with which rights: the same on every provider. */
public final class Registrable {
    private static final int REMOTE_CHANGES = Access.REMOTE_WRITE.bit() | Access.REMOTE_ATOMIC.bit();
    /** Never started: memory that it may not use belongs to a confined arena. */
    private static final Thread ANOTHER_THREAD = Thread.ofPlatform().unstarted(() -> {
    });

    private Registrable() {
    }

    /**
     * Checks what {@link org.panamaverbs.ProtectionDomain#register} was given.
     *
     * @param segment the memory
     * @param rights  the bits of {@link Access}
     * @throws IllegalArgumentException for a heap segment, a confined one, an empty one, a right that needs another, or the right to
     *                                  write what is read-only
     * @throws IllegalStateException    where the segment's arena is closed
     */
    public static void check(MemorySegment segment, int rights) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, since the garbage collector may move it: "
                    + "allocate it in an Arena (shared, automatic or global), or map a file");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment (" + segment.byteSize() + " bytes) is closed");
        }
        if (!segment.isAccessibleBy(ANOTHER_THREAD)) {
            throw new IllegalArgumentException(
                    "a segment of a confined arena cannot be registered, since its bytes are moved behind its thread's back: "
                            + "use a shared, automatic or global arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("a region has 1 byte or more; the segment has none");
        }
        boolean writes = (rights & (Access.LOCAL_WRITE.bit() | REMOTE_CHANGES)) != 0;
        if (writes && segment.isReadOnly()) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE, REMOTE_WRITE or REMOTE_ATOMIC");
        }
        if ((rights & REMOTE_CHANGES) != 0 && (rights & Access.LOCAL_WRITE.bit()) == 0) {
            throw new IllegalArgumentException("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
        }
    }
}

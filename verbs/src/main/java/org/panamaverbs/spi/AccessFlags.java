package org.panamaverbs.spi;

import java.util.Set;
import org.panamaverbs.Access;

/** Rights to memory as providers store and check them: the bits of libibverbs ({@code ibv_access_flags}). */
public final class AccessFlags {
    /** {@link Access#LOCAL_WRITE}. */
    public static final int LOCAL_WRITE = 1;
    /** {@link Access#REMOTE_WRITE}. */
    public static final int REMOTE_WRITE = 1 << 1;
    /** {@link Access#REMOTE_READ}. */
    public static final int REMOTE_READ = 1 << 2;
    /** {@link Access#REMOTE_ATOMIC}. */
    public static final int REMOTE_ATOMIC = 1 << 3;
    /** {@link Access#BIND_MEMORY_WINDOW}. */
    public static final int BIND_MEMORY_WINDOW = 1 << 4;
    /** {@link Access#ON_DEMAND}. */
    public static final int ON_DEMAND = 1 << 6;
    /** {@link Access#HUGE_PAGES}. */
    public static final int HUGE_PAGES = 1 << 7;
    /** {@link Access#RELAXED_ORDERING}. */
    public static final int RELAXED_ORDERING = 1 << 20;

    private static final Access[] RIGHTS = Access.values();
    /** Of each right, in the order of {@link Access}. */
    private static final int[] BITS = { LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, BIND_MEMORY_WINDOW, ON_DEMAND, HUGE_PAGES,
            RELAXED_ORDERING };

    private AccessFlags() {
    }

    /**
     * The bits of rights; allocates nothing.
     *
     * @param access the rights
     * @return their bits together
     */
    public static int of(Set<Access> access) {
        int flags = 0;
        // Without an iterator, since binding a window is on a hot path.
        for (Access right : RIGHTS) {
            if (access.contains(right)) {
                flags |= BITS[right.ordinal()];
            }
        }
        return flags;
    }

    /**
     * The bits of rights that stand in a text.
     *
     * @param access the rights, in any order
     * @return their bits together
     */
    public static int of(Access... access) {
        int flags = 0;
        for (Access right : access) {
            flags |= BITS[right.ordinal()];
        }
        return flags;
    }
}

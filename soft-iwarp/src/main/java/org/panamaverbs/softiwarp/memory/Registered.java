package org.panamaverbs.softiwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A thing that peers address by an STag: registered memory, or a buffer of another kind. It counts the threads that use it now.
 *
 * <p>A thread touches it only between {@link #enter()} and {@link #exit()}, for a short time and without waiting. {@link #retire}
 * waits until no thread is between the two, and no thread can enter after it. So nothing touches it after a retirement.
 */
public abstract class Registered {
    private static final VarHandle USERS = Fields.of(MethodHandles.lookup(), "users", int.class);

    /** Added to the number of users when it is retired: then no thread can enter any more. */
    private static final int RETIRED = 1 << 30;

    private int stag;
    /** How many threads are between enter and exit; plus {@link #RETIRED} after {@link #retire}. */
    private volatile int users;

    /** Called by the table that assigns the STag. */
    void stag(int assigned) {
        stag = assigned;
    }

    /** The STag. */
    public final int stag() {
        return stag;
    }

    /** The Tagged Offset of the first byte. */
    public abstract long base();

    /** The length in bytes. */
    public abstract long length();

    /** Whether the registration has ended. The arena of memory may be closed even before. */
    public final boolean isRetired() {
        return users >= RETIRED;
    }

    /** Whether a range lies within it. Its offset counts from the start and is unsigned. */
    public final boolean contains(long offset, long size) {
        return size <= length() && Long.compareUnsigned(offset, length() - size) <= 0;
    }

    /**
     * Begins to use it.
     *
     * @return {@code false} if it is retired and must not be touched
     */
    public final boolean enter() {
        if ((int) USERS.getAndAdd(this, 1) >= RETIRED) {
            USERS.getAndAdd(this, -1);
            return false;
        }
        return true;
    }

    /** Ends the use that {@link #enter()} began. */
    public final void exit() {
        USERS.getAndAdd(this, -1);
    }

    /**
     * Lets no thread enter any more, and busy-waits for the threads that have entered: they exit soon, since they do not wait.
     *
     * @return {@code false} if it was retired before
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

    /** Lets threads enter again. Only the owner calls this, when no other thread retires the object or waits for that. */
    final void reopen() {
        USERS.getAndBitwiseAnd(this, ~RETIRED);
    }
}

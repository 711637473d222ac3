package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Says which thread transmits for a connection, in one word:
 *
 * <pre>
 * state    kick()                     begin()   release()                              forceRelease()
 * FREE     OWNED, the caller owns     -         -                                      -
 * OWNED    KICKED                     OWNED     FREE                                   FREE
 * KICKED   KICKED                     OWNED     stays KICKED: the owner polls again    FREE
 * </pre>
 *
 * <p>A kick that finds the word FREE just after it was OWNED leaves it KICKED: the caller owns, and polls once more than needed.
 *
 * <p>A kick writes the word by an atomic instruction, and so does the owner before it polls for work. These instructions have one order. So
 * a kick comes before the owner's {@link #begin()}, which then sees everything that the kicking thread wrote; or it makes
 * {@link #release()} fail; or it finds the word FREE. No kick is lost, and no fence is needed.
 */
final class Ownership {
    private static final int FREE = 0;
    private static final int OWNED = 1;
    private static final int KICKED = 2;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);

    @SuppressWarnings("unused") // by the handle
    private volatile int state;

    /** There is work. Returns {@code true} if the caller owns transmission now; if not, the owner polls again before it releases. */
    boolean kick() {
        // The owner may release between the two.
        return STATE.compareAndSet(this, FREE, OWNED) || (int) STATE.getAndSet(this, KICKED) == FREE;
    }

    /** The owner is about to poll for work again. */
    void begin() {
        STATE.getAndSet(this, OWNED);
    }

    /** The owner gives up ownership; {@code false} if there was a kick since {@link #begin()}: then it still owns. */
    boolean release() {
        return STATE.compareAndSet(this, OWNED, FREE);
    }

    /**
     * The owner gives up ownership even after a kick. It must make sure that some thread polls again; that thread then sees everything that
     * the kicking threads wrote.
     */
    void forceRelease() {
        // A plain write would not do: it orders that thread after the owner, but not after the threads that kicked meanwhile.
        STATE.getAndSet(this, FREE);
    }
}

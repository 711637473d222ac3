package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Which thread transmits: one word.
 *
 * <pre>
 * state    kick()                     begin()   release()                             forceRelease()
 * FREE     OWNED, the caller owns     -         -                                     -
 * OWNED    KICKED                     OWNED     FREE                                  FREE
 * KICKED   KICKED                     OWNED     stays KICKED: the owner looks again   FREE
 * </pre>
 *
 * A kick that finds the word FREE just after it was OWNED leaves it KICKED: the caller owns, and looks once more than it need.
 *
 * <p>Every kick changes or rewrites the word by an atomic instruction, and so does the owner before it looks for work. All of them are in
 * one order: a kick comes before the owner's {@link #begin()}, which then sees all that the kicker wrote, or it makes {@link #release()}
 * fail, or it finds the word FREE. So no kick is lost, and no fence is needed.
 */
final class Ownership {
    private static final int FREE = 0;
    private static final int OWNED = 1;
    private static final int KICKED = 2;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);

    @SuppressWarnings("unused") // by the handle
    private volatile int state;

    /** There is work. Returns whether the caller owns transmission now; if not, the owner looks again before it lets go. */
    boolean kick() {
        // The owner may let go between the two.
        return STATE.compareAndSet(this, FREE, OWNED) || (int) STATE.getAndSet(this, KICKED) == FREE;
    }

    /** The owner is about to look for work again. */
    void begin() {
        STATE.getAndSet(this, OWNED);
    }

    /** The owner lets go; {@code false} if there was a kick since it looked: then it still owns. */
    boolean release() {
        return STATE.compareAndSet(this, OWNED, FREE);
    }

    /** The owner lets go whatever was kicked; it sees to it that some thread looks again, which then sees all that the kickers wrote. */
    void forceRelease() {
        // Not just a write: that thread would be ordered after the owner, but not after those who kicked meanwhile.
        STATE.getAndSet(this, FREE);
    }
}

package org.panamaverbs.softiwarp.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/** A lock held for a few instructions only, as libibverbs has one around each ring. It allocates nothing and never parks. */
class SpinLock {
    private static final VarHandle HELD = Fields.of(MethodHandles.lookup(), "held", int.class);

    private static final int SPINS_BEFORE_YIELD = 100;

    @SuppressWarnings("unused") // by the handle
    private volatile int held;

    /** Takes it; all that the last holder wrote is seen. */
    final void lock() {
        int spins = 0;
        while (!HELD.compareAndSet(this, 0, 1)) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                // The holder may have lost its core.
                Thread.yield();
            }
        }
    }

    /** Gives it back; what was written under it is seen by the next holder. */
    final void unlock() {
        HELD.setRelease(this, 0);
    }
}

package org.panamaverbs.softiwarp.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/** A lock for short critical sections, as libibverbs has one for each ring. It allocates nothing and never parks a thread. */
class SpinLock {
    private static final VarHandle HELD = Fields.of(MethodHandles.lookup(), "held", int.class);

    private static final int SPINS_BEFORE_YIELD = 100;

    @SuppressWarnings("unused") // by the handle
    private volatile int held;

    /** Takes the lock; the caller sees everything that the last holder wrote. */
    final void lock() {
        int spins = 0;
        while (!HELD.compareAndSet(this, 0, 1)) {
            if (++spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                // The scheduler may have preempted the holder.
                Thread.yield();
            }
        }
    }

    /** Releases the lock; the next holder sees everything that the caller wrote. */
    final void unlock() {
        HELD.setRelease(this, 0);
    }
}

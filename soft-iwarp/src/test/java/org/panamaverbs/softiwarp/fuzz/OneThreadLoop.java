package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.fixtures.SingleThreadLoop;

/** A loop in the thread of the fuzzer, with a clock that stands until it is set forward. */
final class OneThreadLoop extends SingleThreadLoop {
    private static final int MOST_STEPS = 20_000;

    private long now = 1_000_000_000L;

    OneThreadLoop(MemorySegment scratch) {
        super(scratch);
    }

    /** Runs until nothing is left to do now; throws if that does not come. */
    void run() {
        for (int steps = 0; step(); steps++) {
            if (steps > MOST_STEPS) {
                throw new AssertionError("the loop does not come to rest");
            }
        }
    }

    private boolean step() {
        if (!tasks.isEmpty()) {
            lead(tasks.poll());
        } else if (!ready.isEmpty()) {
            lead(this::takeTurn);
        } else if (nextTimer() <= now) {
            lead(timers.poll().task());
        } else {
            return false;
        }
        return true;
    }

    /** Lets time pass, and runs. */
    void sleep(long nanos) {
        now += nanos;
        run();
    }

    /** Lets time pass up to the next timer, and runs; {@code false} if there is none. */
    boolean sleepToTimer() {
        long next = nextTimer();
        if (next == Long.MAX_VALUE) {
            return false;
        }
        now = Math.max(now, next);
        run();
        return true;
    }

    @Override
    public long now() {
        return now;
    }
}

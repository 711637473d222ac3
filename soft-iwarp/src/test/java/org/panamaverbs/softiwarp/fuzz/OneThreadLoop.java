package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import org.panamaverbs.softiwarp.progress.Driver;
import org.panamaverbs.softiwarp.progress.Loop;
import org.panamaverbs.softiwarp.progress.Timer;

/** A loop in the thread of the fuzzer, with a clock that stands until it is set forward. */
final class OneThreadLoop implements Loop {
    private static final int MOST_STEPS = 20_000;

    private final MemorySegment scratch;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Driver> ready = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long now = 1_000_000_000L;
    private boolean leading;

    OneThreadLoop(MemorySegment scratch) {
        this.scratch = scratch;
    }

    /** Does something as the leader. */
    void lead(Runnable action) {
        boolean before = leading;
        leading = true;
        try {
            action.run();
        } finally {
            leading = before;
        }
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
            Driver driver = ready.poll();
            lead(() -> {
                if (driver.onTurn()) {
                    ready.add(driver);
                }
            });
        } else if (nextTimer() <= now) {
            lead(timers.poll().task());
        } else {
            return false;
        }
        return true;
    }

    private long nextTimer() {
        while (!timers.isEmpty() && timers.peek().task() == null) {
            timers.poll();
        }
        return timers.isEmpty() ? Long.MAX_VALUE : timers.peek().deadline();
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

    @Override
    public boolean isLeader() {
        return leading;
    }

    @Override
    public void add(Driver driver) {
        // There is one.
    }

    @Override
    public void remove(Driver driver) {
        // There is one.
    }

    @Override
    public void addReady(Driver driver) {
        ready.add(driver);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Timer timer = new Timer(now + delayNanos, task);
        timers.add(timer);
        return timer;
    }

    @Override
    public void call(Runnable task) {
        lead(task);
    }

    @Override
    public MemorySegment scratch() {
        return scratch;
    }
}

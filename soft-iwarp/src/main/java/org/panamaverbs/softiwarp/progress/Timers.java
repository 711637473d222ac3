package org.panamaverbs.softiwarp.progress;

import java.util.PriorityQueue;

/** The timers of an event loop. Only the leader uses them. */
// Tested by EventLoopTest.
final class Timers {
    /** So many timers may wait before cancelled ones are sought among them. */
    private static final int FEW = 64;

    private final Tasks tasks;
    private final PriorityQueue<Timer> waiting = new PriorityQueue<>(2 * FEW);
    /** When so many timers wait, cancelled ones are removed. */
    private int purgeAt = FEW;

    /**
     * Makes an empty queue.
     *
     * @param tasks runs the tasks of timers that are due
     */
    Timers(Tasks tasks) {
        this.tasks = tasks;
    }

    /**
     * Cancelled timers would wait until they are due: for each connection one of as long as a peer may take. They are removed when the number
     * of timers has doubled since the last time, so each timer costs the same on average however many there are.
     */
    void add(Timer timer) {
        waiting.add(timer);
        if (waiting.size() > purgeAt) {
            try {
                waiting.removeIf(each -> each.task() == null);
            } catch (OutOfMemoryError e) {
                // They wait on. The new timer counts, which may be the one that waits for memory.
            }
            purgeAt = Math.max(FEW, 2 * waiting.size());
        }
    }

    /** How many timers wait, cancelled ones included. */
    int size() {
        return waiting.size();
    }

    /** Runs the timers that are due; returns the nanoseconds until the next one, or -1. */
    long run() {
        while (!waiting.isEmpty()) {
            Timer timer = waiting.peek();
            Runnable task = timer.task();
            long left = timer.deadline() - System.nanoTime();
            if (task != null && left > 0) {
                return left;
            }
            waiting.poll();
            if (task != null) {
                tasks.guard(task);
            }
        }
        return -1;
    }
}

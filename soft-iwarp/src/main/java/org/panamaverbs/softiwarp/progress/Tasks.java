package org.panamaverbs.softiwarp.progress;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.panamaverbs.spi.support.Complaints;

/** The tasks that wait for the leader of an event loop. Any thread adds one; only the leader runs them. */
// Tested by EventLoopTest.
final class Tasks {
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Complaints.Message failed;
    private final String loop;

    /**
     * Makes an empty queue.
     *
     * @param failed what the log says of a task that failed
     * @param loop   the name of the loop, for the log
     */
    Tasks(Complaints.Message failed, String loop) {
        this.failed = failed;
        this.loop = loop;
    }

    void add(Runnable task) {
        queue.add(task);
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Runs all tasks that wait, those too that a task adds meanwhile. */
    void run() {
        for (Runnable task = queue.poll(); task != null; task = queue.poll()) {
            guard(task);
        }
    }

    /** Runs one task at once. A failure of it is logged, and stops nothing else. */
    void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // A bug: it must not stop the other connections of this loop.
            failed.error(loop, e);
        }
    }
}

package org.panamaverbs.softiwarp.progress;

/** A task that a loop runs at some time. */
public final class Timer implements Comparable<Timer> {
    private final long deadline;
    private volatile Runnable task;

    /**
     * Makes one.
     *
     * @param deadline the time at which it is due, in nanoseconds of {@link Loop#now}
     * @param task     the task to run then
     */
    public Timer(long deadline, Runnable task) {
        this.deadline = deadline;
        this.task = task;
    }

    /** The time at which it is due, in nanoseconds of {@link Loop#now}. */
    public long deadline() {
        return deadline;
    }

    /** The task, or {@code null} if it was cancelled. */
    public Runnable task() {
        return task;
    }

    /** Cancels the task and drops the reference to it. */
    public void cancel() {
        task = null;
    }

    @Override
    public int compareTo(Timer other) {
        return Long.signum(deadline - other.deadline);
    }
}

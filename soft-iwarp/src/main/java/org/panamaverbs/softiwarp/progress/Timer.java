package org.panamaverbs.softiwarp.progress;

/** A task of a loop that is due at some time. */
public final class Timer implements Comparable<Timer> {
    private final long deadline;
    private volatile Runnable task;

    /**
     * Makes one.
     *
     * @param deadline the time at which it is due, by {@link Loop#now}
     * @param task     what is to be run then
     */
    public Timer(long deadline, Runnable task) {
        this.deadline = deadline;
        this.task = task;
    }

    /** When it is due. */
    public long deadline() {
        return deadline;
    }

    /** The task, or {@code null} once it was cancelled. */
    public Runnable task() {
        return task;
    }

    /** The task is not run, and what it holds can be collected. */
    public void cancel() {
        task = null;
    }

    @Override
    public int compareTo(Timer other) {
        return Long.signum(deadline - other.deadline);
    }
}

package org.panamaverbs.softiwarp.progress;

/** A task that a loop runs at some time. */
public final class Timer implements Comparable<Timer> {
    /** Changes only while it does not wait in a loop. */
    private long deadline;
    private volatile Runnable task;

    /**
     * Makes one.
     *
     * @param task the task to run when it is due
     */
    public Timer(Runnable task) {
        this.task = task;
    }

    /** Sets the time at which it is due, in nanoseconds of {@link Loop#now}, before a loop has it. */
    public void deadline(long nanos) {
        deadline = nanos;
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

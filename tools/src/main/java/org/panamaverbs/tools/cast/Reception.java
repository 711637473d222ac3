package org.panamaverbs.tools.cast;

import java.util.concurrent.TimeUnit;

/** When a catch without repair ends, without I/O and clock. Times are those of {@link System#nanoTime}. One thread at a time. */
final class Reception {
    private static final long LATE = TimeUnit.MILLISECONDS.toNanos(200);

    private final Holes holes;
    private final boolean datagrams;
    private final long idle;
    private boolean begun;
    private boolean notified;
    private long heardAt;

    /**
     * @param datagrams whether what is missing after the notification may only be late for 200 ms; a stream may be followed by another
     * @param idle      how many nanoseconds without a message end it, once one came
     */
    Reception(Holes holes, boolean datagrams, long idle) {
        this.holes = holes;
        this.datagrams = datagrams;
        this.idle = idle;
    }

    /** A message was placed. */
    void onPlaced(long nanoTime) {
        begun = true;
        heardAt = nanoTime;
    }

    /** The notification with the right identifier came. */
    void onNotification(long nanoTime) {
        onPlaced(nanoTime);
        notified = true;
    }

    boolean isNotified() {
        return notified;
    }

    boolean isOver(long nanoTime) {
        if (!begun) {
            return false;
        }
        return notified && holes.missing() == 0 || nanoTime - heardAt >= limit();
    }

    private long limit() {
        return notified && datagrams ? Math.min(LATE, idle) : idle;
    }

    /** When to ask {@link #isOver} at the latest, if nothing comes; meaningless before anything came. */
    long deadline() {
        return heardAt + limit();
    }
}

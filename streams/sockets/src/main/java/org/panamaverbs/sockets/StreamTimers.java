package org.panamaverbs.sockets;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/** The streams of a loop for which time counts: those that linger, and those that may be idle. The thread that turns the loop calls it. */
final class StreamTimers {
    /** So often it looks at streams that linger. */
    private static final Duration WATCH = Duration.ofMillis(50);
    /** So often streams that may be idle are due. */
    private static final Duration IDLE = Duration.ofSeconds(1);
    /** A busy loop reads the clock for that once in so many turns. */
    private static final int BUSY_TURNS = 256;

    private record Lingering(BooleanSupplier hasEnded, Runnable end, long deadline) {
        boolean isOver(long now) {
            if (now - deadline >= 0 && !hasEnded.getAsBoolean()) {
                end.run();
            }
            return hasEnded.getAsBoolean();
        }
    }

    private final Deque<Lingering> lingering = new ArrayDeque<>();
    private long watched;
    private int busyTurns;
    private long idleWatched;

    /** {@return how long the loop may wait at most} */
    Duration mostWait() {
        return lingering.isEmpty() ? IDLE : WATCH;
    }

    /**
     * A stream that was closed has so much time to send the rest.
     *
     * @param end ends it
     */
    @SuppressWarnings("JavaDurationGetSecondsGetNano") // It adds both.
    void linger(BooleanSupplier hasEnded, Runnable end, Duration time) {
        long nanos = Math.min(time.toSeconds(), Integer.MAX_VALUE) * 1_000_000_000L + time.getNano();
        lingering.add(new Lingering(hasEnded, end, System.nanoTime() + nanos));
    }

    /** Ends the streams whose time is over. */
    void endLate() {
        if (!lingering.isEmpty()) {
            long now = System.nanoTime();
            if (now - watched >= WATCH.toNanos()) {
                watched = now;
                lingering.removeIf(each -> each.isOver(now));
            }
        }
    }

    /**
     * {@return whether idle streams should give memory back now}
     *
     * @param isQuiet whether the turn had no completions
     */
    boolean isIdleDue(boolean isQuiet) {
        busyTurns++;
        if (isQuiet || busyTurns >= BUSY_TURNS) {
            busyTurns = 0;
            long now = System.nanoTime();
            if (now - idleWatched >= IDLE.toNanos()) {
                idleWatched = now;
                return true;
            }
        }
        return false;
    }
}

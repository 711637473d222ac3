package org.panamaverbs.spi.support;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Says which messages of a kind are logged: 10 in 10 seconds; it counts the others. Any thread may ask. */
public final class LogLimit {
    /** The most that are logged in a period. */
    static final int MOST = 10;
    /** The length of a period in nanoseconds. */
    static final long PERIOD = 10_000_000_000L;

    private final LongSupplier clock;
    private long begin;
    private int admitted;
    private long missed;

    /** Makes one. */
    public LogLimit() {
        this(System::nanoTime);
    }

    LogLimit(LongSupplier clock) {
        this.clock = clock;
        begin = clock.getAsLong();
    }

    /**
     * Asks whether a message is logged now.
     *
     * @param report logs how many messages were not logged; called before the first message of a period, if there were any
     * @return whether it is; if not, it is counted
     */
    public synchronized boolean admits(LongConsumer report) {
        long time = clock.getAsLong();
        if (time - begin >= PERIOD) {
            long unreported = missed;
            begin = time;
            admitted = 0;
            missed = 0;
            if (unreported > 0) {
                report.accept(unreported);
            }
        }
        if (admitted < MOST) {
            admitted++;
            return true;
        }
        missed++;
        return false;
    }
}

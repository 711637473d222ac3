package org.panamaverbs.spi;

import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs what peers do wrong, but not all of it: strangers could fill a disk. It logs 10 in 10 seconds, and counts
 * the others. It never throws.
 */
public final class Complaints {
    /** The most that are logged in a period. */
    static final int MOST = 10;
    /** The length of a period in nanoseconds. */
    static final long PERIOD = 10_000_000_000L;

    private final Logger log;
    private final LongSupplier clock;
    private long begin;
    private int logged;
    private long suppressed;

    /**
     * Makes one.
     *
     * @param log gets the messages
     */
    public Complaints(Logger log) {
        this(log, System::nanoTime);
    }

    Complaints(Logger log, LongSupplier clock) {
        this.log = log;
        this.clock = clock;
        this.begin = clock.getAsLong();
    }

    /**
     * Logs a warning, or counts it.
     *
     * @param format as in SLF4J, with two parameters
     * @param first  the first parameter
     * @param second the second
     */
    public void warn(String format, Object first, Object second) {
        log(false, format, first, second);
    }

    /**
     * Logs an error, or counts it.
     *
     * @param format    as in SLF4J, with one parameter
     * @param parameter the parameter
     * @param cause     logged with its stack
     */
    public void error(String format, Object parameter, Throwable cause) {
        log(true, format, parameter, cause);
    }

    private synchronized void log(boolean isError, String format, Object first, Object second) {
        try {
            if (!isLogged()) {
                return;
            }
            if (isError) {
                log.error(format, first, second);
            } else {
                log.warn(format, first, second);
            }
        } catch (RuntimeException | Error e) {
            // The callers report failures and go on: a logger that fails as well, for lack of memory or of a class, must not stop them.
            suppressed++;
        }
    }

    private boolean isLogged() {
        long now = clock.getAsLong();
        if (now - begin >= PERIOD) {
            if (suppressed > 0) {
                log.warn("{} further messages of this kind were not logged", suppressed);
            }
            begin = now;
            logged = 0;
            suppressed = 0;
        }
        if (logged < MOST) {
            logged++;
            return true;
        }
        suppressed++;
        return false;
    }
}

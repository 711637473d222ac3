package org.panamaverbs.spi.support;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what peers do wrong, but not all of it: strangers could fill a disk. It logs 10 in 10 seconds, and counts
 * the others. It never throws. The last handler of a thread logs by a {@link Message}, which it has made before.
 */
public final class Complaints {
    private final Logger log;
    private final LogLimit limit;

    /**
     * Makes one.
     *
     * @param source the class whose log gets the messages. A logger would bind the caller to the SLF4J that this module has, and the agent
     *               of NIO has it under another name
     */
    public Complaints(Class<?> source) {
        this(LoggerFactory.getLogger(source), System::nanoTime);
    }

    Complaints(Logger log, LongSupplier clock) {
        this.log = log;
        this.limit = new LogLimit(clock);
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

    /**
     * Prepares a message for the handler of any failure. Java allocates even a literal when it is used for the first time, so a handler that
     * names its text could fail for want of memory, and end its thread.
     *
     * @param format as in SLF4J, with two parameters for warnings and one for errors
     * @return the message, which the handler keeps
     */
    public Message message(String format) {
        return new Message(format);
    }

    /** A message that exists before it is needed: to log it throws nothing, whatever is missing. */
    public final class Message {
        private final String format;

        private Message(String format) {
            this.format = format;
        }

        /**
         * Logs it as a warning, or counts it.
         *
         * @param first  the first parameter
         * @param second the second
         */
        public void warn(Object first, Object second) {
            log(false, format, first, second);
        }

        /**
         * Logs it as an error, or counts it.
         *
         * @param parameter the parameter
         * @param cause     logged with its stack
         */
        public void error(Object parameter, Throwable cause) {
            log(true, format, parameter, cause);
        }
    }

    private void log(boolean isError, String format, Object first, Object second) {
        try {
            if (!limit.admits(missed -> log.warn("{} further messages of this kind were not logged", missed))) {
                return;
            }
            if (isError) {
                log.error(format, first, second);
            } else {
                log.warn(format, first, second);
            }
        } catch (RuntimeException | Error e) {
            // The callers report failures and go on: a logger that fails as well, for lack of memory or of a class, must not stop them.
        }
    }
}

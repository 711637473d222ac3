package org.panamaverbs.tools;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.panamaverbs.spi.support.LogLimit;
import org.panamaverbs.tools.shared.Printable;

/**
 * The log of {@code pverbs}: warnings on standard error. Everything that logs by SLF4J or {@code java.util.logging} ends here: our modules,
 * oncrpc4j and Grizzly. Most messages are about peers, and some contain their words. So each logger and level has a limit, a message is one
 * line that a terminal may show, and a stack is cut.
 */
final class ProgramLog extends Handler {
    private static final int LONGEST_LINE = 500;
    private static final int STACK_LINES = 8;

    private final PrintStream out;
    private final Formatter formatter = new SimpleFormatter();
    /** By logger and level, of which the code has a fixed number. */
    private final Map<String, LogLimit> limits = new ConcurrentHashMap<>();

    ProgramLog(PrintStream out) {
        this.out = out;
    }

    /** Takes the place of the JDK's own output, unless the user has said how to log (-Djava.util.logging.config.file). */
    static void install(PrintStream out) {
        if (System.getProperty("java.util.logging.config.file") != null) {
            return;
        }
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        root.setLevel(Level.WARNING);
        root.addHandler(new ProgramLog(out));
    }

    @Override
    public void publish(LogRecord message) {
        String source = "[" + message.getLevel() + "] " + shortName(message.getLoggerName()) + " - ";
        LogLimit limit = limits.computeIfAbsent(message.getLevel() + " " + message.getLoggerName(), each -> new LogLimit());
        if (limit.admits(missed -> print(source + missed + " further messages were not shown"))) {
            print(source + formatter.formatMessage(message));
            if (message.getThrown() != null) {
                StringWriter stack = new StringWriter();
                message.getThrown().printStackTrace(new PrintWriter(stack));
                stack.toString().lines().limit(STACK_LINES).forEach(line -> print(line.replace("\t", "    ")));
            }
        }
    }

    private static String shortName(String logger) {
        return logger == null ? "" : logger.substring(logger.lastIndexOf('.') + 1);
    }

    private void print(String line) {
        out.println(Printable.of(line.substring(0, Math.min(LONGEST_LINE, line.length()))));
    }

    @Override
    public void flush() {
        out.flush();
    }

    @Override
    public void close() {
        // Standard error stays open.
    }
}

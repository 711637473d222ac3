package org.panamaverbs.tools.shared;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar if there is a terminal to show it. The bar and its rate begin with the first bytes. One thread at a time uses it. */
public final class Bar implements AutoCloseable {
    private static final double MEBIBYTE = 1 << 20;
    private static final int LONGEST_NAME = 20;
    private static final int COLUMNS = 79;
    private static final int INTERVAL_MILLIS = 200;

    private final String name;
    private final ConsoleProgressBarConsumer terminal;
    private final LongSupplier clock;
    private long size;
    private ProgressBar bar;
    private long startedAt;
    private long startedWith;
    private long ratedAt;

    @SuppressWarnings("SystemConsoleNull") // It may be null again since Java 25.
    public Bar(String name, boolean quiet) {
        this(name, !quiet && System.console() != null && System.console().isTerminal() ? System.err : null, System::nanoTime);
    }

    /** @param out {@code null} for no terminal */
    Bar(String name, PrintStream out, LongSupplier clock) {
        String text = Printable.of(name);
        this.name = text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) : text;
        this.terminal = out == null ? null : new ConsoleProgressBarConsumer(out, COLUMNS);
        this.clock = clock;
    }

    public void size(long whole) {
        size = whole;
    }

    /** So many bytes are done. */
    public void at(long bytes) {
        if (terminal == null || size == 0) {
            return;
        }
        long time = clock.getAsLong();
        if (bar == null) {
            startedAt = time;
            startedWith = bytes;
            ratedAt = time;
            bar = new ProgressBarBuilder().setTaskName(name).setInitialMax(size).setUnit(" MiB", (long) MEBIBYTE).setConsumer(terminal)
                    .setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(INTERVAL_MILLIS).build();
        } else if (time - ratedAt >= INTERVAL_MILLIS * 1_000_000L) {
            // The library's own rate is unknown in the first second.
            ratedAt = time;
            bar.setExtraMessage(String.format(Locale.ROOT, "%.1f MiB/s", (bytes - startedWith) / MEBIBYTE * 1e9 / (time - startedAt)));
        }
        bar.stepTo(bytes);
    }

    /** Gives the line to other words; the bar comes back at its next step. */
    public void clear() {
        if (bar != null) {
            terminal.clear();
        }
    }

    /** Leaves the last state on the terminal. */
    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}

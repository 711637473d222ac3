package org.panamaverbs.tools.shared;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The progress of a file in one line, if there is a terminal to show it. The line and its rate begin with the first bytes. */
public final class Bar implements AutoCloseable {
    private static final long BETWEEN = TimeUnit.MILLISECONDS.toNanos(200);
    private static final double MEBIBYTE = 1 << 20;
    private static final int LONGEST_NAME = 20;
    /** Characters between the brackets. */
    private static final int CELLS = 20;
    /** Of a terminal: a longer line would not be overwritten. */
    private static final int COLUMNS = 79;

    private final String name;
    private final PrintStream out;
    private final LongSupplier clock;
    private long size;
    private boolean begun;
    private long startedAt;
    private long startedWith;
    private long drawnAt;
    private long bytes;
    private String shown = "";

    public Bar(String name, boolean quiet) {
        this(name, !quiet && System.console() != null && System.console().isTerminal() ? System.err : null, System::nanoTime);
    }

    /** @param out {@code null} for no terminal */
    Bar(String name, PrintStream out, LongSupplier clock) {
        String text = Printable.of(name);
        this.name = text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) : text;
        this.out = out;
        this.clock = clock;
    }

    public void size(long whole) {
        size = whole;
    }

    /** So many bytes are done. One thread at a time calls this. */
    public void at(long done) {
        if (out == null || size == 0) {
            return;
        }
        long now = clock.getAsLong();
        bytes = done;
        if (!begun) {
            begun = true;
            startedAt = now;
            startedWith = done;
            drawnAt = now;
        } else if (now - drawnAt >= BETWEEN) {
            drawnAt = now;
            draw(now);
        }
    }

    private void draw(long now) {
        double rate = (bytes - startedWith) * 1e9 / (now - startedAt);
        int cells = (int) (CELLS * (double) bytes / size);
        String left = rate > 0 && bytes < size ? String.format(Locale.ROOT, ", %.0f s left", (size - bytes) / rate) : "";
        String line = String.format(Locale.ROOT, "%s %3d%% [%s%s] %.0f/%.0f MiB, %.1f MiB/s%s", name, (int) (100.0 * bytes / size),
                "=".repeat(cells), " ".repeat(CELLS - cells), bytes / MEBIBYTE, size / MEBIBYTE, rate / MEBIBYTE, left);
        String next = line.substring(0, Math.min(COLUMNS, line.length()));
        if (next.equals(shown)) {
            return;
        }
        shown = next;
        out.print("\r" + shown + " ".repeat(COLUMNS - shown.length()));
        out.flush();
    }

    /** Gives the line to other words; the bar comes back with the next bytes. */
    public void clear() {
        if (!shown.isEmpty()) {
            shown = "";
            out.print("\r" + " ".repeat(COLUMNS) + "\r");
            out.flush();
        }
    }

    /** Leaves the last state on the terminal. */
    @Override
    public void close() {
        if (!shown.isEmpty()) {
            draw(clock.getAsLong());
            out.println();
        }
    }
}

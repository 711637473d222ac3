package org.panamaverbs.tools.cast;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Printable;

/**
 * The user of a catch: reads lines and the bar while it waits, and may end it by Ctrl-C. The catch then ends by itself, and says what came.
 * One thread, and the system's at the end of the process.
 */
final class CatchConsole implements AutoCloseable {
    private static final long LAST_WORDS_SECONDS = 5;

    private final Bar bar;
    private final PrintWriter lines;
    private final Drops drops;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt);
    private volatile boolean interrupted;

    CatchConsole(Bar bar, PrintWriter lines, Drops drops) {
        this.bar = bar;
        this.lines = lines;
        this.drops = drops;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupt() {
        interrupted = true;
        try {
            ended.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // No code interrupts the thread of a hook.
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the process is ending, by Ctrl-C or SIGTERM. */
    boolean isInterrupted() {
        return interrupted;
    }

    void say(String line) {
        bar.clear();
        lines.println(Printable.of(line));
        lines.flush();
    }

    /** So many octets have come. */
    void at(long octets) {
        bar.at(octets);
    }

    /** Says what was dropped, when it is time. */
    void observe(DdpCounters counters) {
        if (drops.isDue(counters)) {
            say(drops.text(counters));
        }
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending.
        }
    }
}

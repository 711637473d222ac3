package org.panamaverbs.compare.programs;

import java.util.Locale;

/** Repeats something for a while, and says how often it was done, as one JSON object on standard output. */
final class Timed {
    /** The step that is repeated; it may fail. */
    interface Step {
        void run() throws Exception;
    }

    private Timed() {
    }

    /**
     * Warms up, then measures.
     *
     * @param size    bytes that a step moves
     * @param warmUp  in seconds
     * @param seconds how long it is measured
     * @param step    moves them
     * @param end     waits until all are there; part of the time
     */
    static void print(long size, double warmUp, double seconds, Step step, Step end) throws Exception {
        repeat(warmUp, step);
        end.run();
        long start = System.nanoTime();
        long messages = repeat(seconds, step);
        end.run();
        double elapsed = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "{\"messages\":%d,\"bytesPerSecond\":%.1f,\"messagesPerSecond\":%.1f}%n", messages,
                messages * size / elapsed, messages / elapsed);
    }

    private static long repeat(double seconds, Step step) throws Exception {
        long start = System.nanoTime();
        long nanos = (long) (seconds * 1e9);
        long count = 0;
        do {
            step.run();
            count++;
        } while (System.nanoTime() - start < nanos);
        return count;
    }
}

package org.panamaverbs.compare.programs;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The times of a program that measures: a warm-up in parts of a second, until the JVMs of both ends are steady, and then the measurement. Its
 * result is one JSON object on standard output. The JVMs are steady once the compilers of each have used at most {@link #BOUND} of the time
 * for {@link #QUIET} seconds, as in {@code pverbs perf}; the serving end reports the time of its compilers over a socket.
 */
final class Timed {
    /** Of the time: a method that is compiled anew now and then does not count. */
    private static final double BOUND = 0.02;
    /** Seconds. A compilation counts when it ends, so one alone would not do. */
    private static final double QUIET = 2;
    /** Parts of a warm-up at least: a step that happens for the first time after seconds makes the JVM compile again. */
    private static final int PARTS = 4;
    /** Threads that hold a processor each beside the messages. */
    private static final int BUSY_LOOPS = Integer.getInteger("compare.busy-loops", 0);

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final double shortest;
    private final double longest;
    private final double seconds;
    /** The serving end reports the time of its compilers here; {@code null} if there is none. */
    private final Socket peer;
    private final List<String> rates = new ArrayList<>();
    private final List<String> medians = new ArrayList<>();
    private double warmUp;
    private double quiet;
    private long near;
    private long far;

    /** The step that is repeated; it may fail. */
    interface Step {
        void run() throws Exception;
    }

    /** A part of a run. */
    interface Part {
        /** Carries messages for so many seconds at least. */
        Figures run(double seconds) throws Exception;
    }

    /**
     * The messages of a part.
     *
     * @param seconds how long that took
     * @param micros  the median of the latencies; {@link Double#NaN} if there are none
     */
    record Figures(double messages, double seconds, double micros) {
        static Figures of(double messages, double seconds) {
            return new Figures(messages, seconds, Double.NaN);
        }

        private double rate() {
            return messages / seconds;
        }
    }

    /**
     * Of the arguments of a program, from the third on: {@code SHORTEST-LONGEST SECONDS PORT}, the bounds of the warm-up and the measurement's
     * length, in seconds, and the serving end's port for the time of its compilers, which is left out if it has none.
     */
    Timed(String[] arguments) throws IOException {
        String[] bounds = arguments[2].split("-");
        shortest = Double.parseDouble(bounds[0]);
        longest = Double.parseDouble(bounds[1]);
        seconds = Double.parseDouble(arguments[3]);
        peer = arguments.length > 4 ? new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[4])) : null;
    }

    /** How long the measurement is. */
    double seconds() {
        return seconds;
    }

    /** Says where the serving end listens, and tells the time of its compilers from then on. */
    static void listening(long number) throws IOException {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(() -> {
            try (listener; Socket socket = listener.accept()) {
                while (socket.getInputStream().read() >= 0) {
                    socket.getOutputStream().write(ByteBuffer.allocate(Long.BYTES).putLong(compilerMillis()).array());
                }
            } catch (IOException e) {
                // The measurement is over.
            }
        });
        System.out.println("listening on " + number + " " + listener.getLocalPort());
    }

    private static long compilerMillis() {
        return COMPILERS == null ? 0 : COMPILERS.getTotalCompilationTime();
    }

    private long peerMillis() throws IOException {
        if (peer == null) {
            return 0;
        }
        peer.getOutputStream().write(0);
        return ByteBuffer.wrap(peer.getInputStream().readNBytes(Long.BYTES)).getLong();
    }

    /** Runs parts until both ends are steady, or the time is up. Busy loops run from now on. */
    void warmUp(Part part) throws Exception {
        for (int i = 0; i < BUSY_LOOPS; i++) {
            Thread.ofPlatform().daemon().start(() -> {
                while (true) {
                    Thread.onSpinWait();
                }
            });
        }
        long start = System.nanoTime();
        double before = 0;
        do {
            Figures figures = part.run(Math.min(1, longest / PARTS));
            rates.add(String.format(Locale.ROOT, "%.3f", figures.rate()));
            if (!Double.isNaN(figures.micros)) {
                medians.add(String.format(Locale.ROOT, "%.3f", figures.micros));
            }
            warmUp = (System.nanoTime() - start) / 1e9;
            long nearMillis = compilerMillis();
            long farMillis = peerMillis();
            // The first part has all that was compiled before it.
            boolean wasQuiet = before > 0 && Math.max(nearMillis - near, farMillis - far) / 1e3 <= BOUND * (warmUp - before);
            quiet = wasQuiet ? quiet + warmUp - before : 0;
            before = warmUp;
            near = nearMillis;
            far = farMillis;
        } while (warmUp < longest && (warmUp < shortest || !isSteady()));
    }

    private boolean isSteady() {
        return quiet >= QUIET;
    }

    /**
     * Prints the result.
     *
     * @param size   bytes of a message
     * @param others further numbers, each a name and a value; a value that is no number is left out
     */
    void print(Figures figures, long size, Object... others) {
        StringBuilder json = new StringBuilder(String.format(Locale.ROOT, "{\"bytesPerSecond\": %.1f, \"messagesPerSecond\": %.3f",
                figures.rate() * size, figures.rate()));
        if (!Double.isNaN(figures.micros)) {
            json.append(String.format(Locale.ROOT, ", \"p50Micros\": %.3f", figures.micros));
        }
        for (int i = 0; i < others.length; i += 2) {
            if (!Double.isNaN((double) others[i + 1])) {
                json.append(String.format(Locale.ROOT, ", \"%s\": %.6f", others[i], others[i + 1]));
            }
        }
        System.out.println(json + String.format(Locale.ROOT,
                ", \"warmUp\": {\"seconds\": %.3f, \"steady\": %b, \"compilerSeconds\": %.3f, \"messagesPerSecond\": %s, \"p50Micros\": %s}}",
                warmUp, isSteady(), (near + far) / 1e3, rates, medians));
    }

    /**
     * Warms up, measures and prints.
     *
     * @param size bytes that a step moves
     * @param step moves them
     * @param end  waits until all are there; part of the time
     */
    void measure(long size, Step step, Step end) throws Exception {
        Part part = duration -> {
            long start = System.nanoTime();
            long messages = repeat(duration, step);
            end.run();
            return Figures.of(messages, (System.nanoTime() - start) / 1e9);
        };
        warmUp(part);
        print(part.run(seconds), size);
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

package org.panamaverbs.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The part of a run before the measurement, until both JVMs are steady. It has a shortest and a longest time. */
final class WarmUp {
    /**
     * It comes in so many parts at least, of a second at most, each begun and ended as the measurement is: a step that happens for the first
     * time after seconds of nothing but messages makes the JVM throw compiled methods away, and those of the path itself would be made anew
     * while it is measured.
     */
    private static final int PARTS = 4;
    private static final int LONGEST_SECONDS = 3600;
    private static final Pattern TIMES = Pattern.compile("(?:([0-9]+(?:\\.[0-9]+)?)-)?([0-9]+(?:\\.[0-9]+)?)");
    private static final long LONGEST_PART = TimeUnit.SECONDS.toNanos(1);

    private final Steadiness steadiness;
    private final long shortest;
    private final long longest;
    private final List<Double> rates = new ArrayList<>();
    private final List<Double> medians = new ArrayList<>();
    private long start;
    private long nanos;

    private WarmUp(Steadiness steadiness, long shortest, long longest) {
        this.steadiness = steadiness;
        this.shortest = shortest;
        this.longest = longest;
    }

    /**
     * Parses an option: the longest time in seconds, or the shortest and the longest.
     *
     * @throws IllegalArgumentException if the text is neither, or they are beyond the limits
     */
    static WarmUp parse(String text) {
        Matcher times = TIMES.matcher(text);
        double shortest = times.matches() && times.group(1) != null ? Double.parseDouble(times.group(1)) : 0;
        double longest = times.matches() ? Double.parseDouble(times.group(2)) : -1;
        if (longest < shortest || longest > LONGEST_SECONDS) {
            throw new IllegalArgumentException("--warm-up is N or M-N, of 0 to " + LONGEST_SECONDS + " seconds, not " + text);
        }
        return new WarmUp(new Steadiness(), (long) (shortest * 1e9), (long) (longest * 1e9));
    }

    /** The one before another size: for a tenth of the time, since most of the code is the same. */
    WarmUp again() {
        return new WarmUp(steadiness, nanos / 10, nanos / 10);
    }

    /** How long a part is. */
    long partNanos() {
        return Math.min(longest / PARTS, LONGEST_PART);
    }

    void begin(long nanoTime) {
        start = nanoTime;
    }

    /**
     * A part has ended.
     *
     * @param took     its length, in nanoseconds
     * @param messages that all threads have done in it
     * @param micros   the median of its latencies
     * @param near     the work of this end since its start
     * @param far      the work of the other end
     */
    void onPart(long nanoTime, long took, long messages, double micros, Tally near, Tally far) {
        nanos = nanoTime - start;
        rates.add(Rate.of(messages, 1, took).messagesPerSecond());
        medians.add(micros);
        steadiness.update(nanoTime, near.compilerMillis(), far.compilerMillis());
    }

    boolean isOver() {
        return nanos >= longest || nanos >= shortest && isSteady();
    }

    double limitSeconds() {
        return longest / 1e9;
    }

    boolean isSteady() {
        return steadiness.isSteady();
    }

    double seconds() {
        return nanos / 1e9;
    }

    /** How long the compilers of both ends have worked since they started, in seconds. */
    double compilerSeconds() {
        return steadiness.compilerSeconds();
    }

    /** Messages per second of each part. */
    List<Double> rates() {
        return rates;
    }

    /** The median latency of each part, in microseconds. */
    List<Double> medians() {
        return medians;
    }
}

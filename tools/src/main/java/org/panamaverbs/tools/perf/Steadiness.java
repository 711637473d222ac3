package org.panamaverbs.tools.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Whether the JVMs at both ends have compiled what they run: they are steady once the compilers of each have used at most {@link #BOUND} of
 * the time for two seconds. The JVM counts a compilation when it ends; one that lasts longer than a second is rare, even if the threads that
 * measure hold the processors.
 */
final class Steadiness {
    /** Of the time: a method that is compiled anew now and then does not count. */
    static final double BOUND = 0.02;

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private boolean begun;
    private long lastNanos;
    private long near;
    private long far;
    private long quietNanos;

    /** How long the compilers of this process have worked since its start, in milliseconds; 0 on a JVM that does not count it. */
    static long compilerMillis() {
        return COMPILERS != null && COMPILERS.isCompilationTimeMonitoringSupported() ? COMPILERS.getTotalCompilationTime() : 0;
    }

    /**
     * Takes the compilers' times into account, as they are at a moment.
     *
     * @param nearMillis of this end since its start
     * @param farMillis  of the other end
     */
    void update(long nanoTime, long nearMillis, long farMillis) {
        long nanos = nanoTime - lastNanos;
        long used = TimeUnit.MILLISECONDS.toNanos(Math.max(nearMillis - near, farMillis - far));
        quietNanos = begun && used <= BOUND * nanos ? quietNanos + nanos : 0;
        begun = true;
        lastNanos = nanoTime;
        near = nearMillis;
        far = farMillis;
    }

    boolean isSteady() {
        return quietNanos >= QUIET_NANOS;
    }

    /** How long the compilers of both ends have worked, in seconds. */
    double compilerSeconds() {
        return (near + far) / 1e3;
    }
}

package org.panamaverbs.tools.perf;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.panamaverbs.tools.perf.idle.IdleConnections;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Quantity;

/** Shows results as they come: a table in the manner of perftest's, or one JSON object a line. */
// Tested by PerfCommandTest.
final class Report {
    private final PrintWriter out;
    private final boolean json;
    private final String provider;
    private final String device;
    /** The words for the CRCs of a path. */
    private final UnaryOperator<String> crcOf;
    private String path;
    /** {@code null} if there are none. */
    private IdleConnections idle;
    private Waiting peerWaiting;
    /** The warm-up that has not been shown yet; {@code null} if it has. */
    private WarmUp warmUp;

    Report(PrintWriter out, boolean json, String provider, String device, UnaryOperator<String> crcOf) {
        this.out = out;
        this.json = json;
        this.provider = provider;
        this.device = device;
        this.crcOf = crcOf;
    }

    /** @param before the first size, which the columns follow */
    void header(Team team, String peer, WarmUp before) {
        warmUp = before;
        ActiveSide side = team.first();
        peerWaiting = side.requester(0).peerWaiting();
        path = side.requester(0).connection().path();
        String crc = crcOf.apply(path);
        if (json) {
            return;
        }
        Plan plan = side.plan();
        int connections = side.connections();
        String there = peerWaiting == plan.waiting() ? "" : " here, by " + peerWaiting + " there (a listener spins only with --allow-spin)";
        String place = plan.footprint() == plan.size() ? "" : ", footprint " + Quantity.text(plan.footprint());
        String under = plan.latency() ? "one message at a time" : "depth " + plan.depth()
                + (connections == 1 ? "" : ", " + connections + " connections" + (team.size() == 1 ? "" : " each"));
        under += place + (team.size() == 1 ? "" : ", " + team.size() + " threads");
        out.printf("%s %s over %s (%s, %s) to %s: CRC %s, %s, waiting by %s%s%n", plan.operation(), modeInWords(plan), provider, device,
                path, peer, crc, under, plan.waiting(), there);
        if (plan.latency()) {
            String what = plan.operation().fetches() ? "the time of a " + plan.operation() : "half the round trip";
            out.printf("Latency in microseconds is %s.%n", what);
        }
        if (before.limitSeconds() >= 1) {
            out.printf(Locale.ROOT, "Warming up until the compilers of both JVMs are quiet, %.0f s at most.%n", before.limitSeconds());
        }
        out.flush();
    }

    /** Before the first line of figures: says how the warm-up ended, and what the columns are. */
    private void columns(Plan plan) {
        if (warmUp == null) {
            return;
        }
        if (warmUp.seconds() >= 0.1) {
            out.printf(Locale.ROOT, "Warmed up for %.1f s, %s.%n", warmUp.seconds(),
                    warmUp.isSteady() ? "until the compilers of both JVMs were quiet"
                            : "and the compilers still work: later figures may be better (--warm-up)");
        }
        if (plan.latency()) {
            out.printf("%n%10s %12s %9s %9s %9s %9s %9s %9s%n", "bytes", "messages", "min", "p50", "p99", "p99.9", "max", "direct");
        } else {
            out.printf("%n%10s %12s %12s %9s %14s %9s %10s %10s%n", "bytes", "messages", "MB/s", "Gbit/s", "messages/s", "direct",
                    "p50 [us]", "p99 [us]");
        }
        warmUp = null;
    }

    /** @param threads the results of each, of which the first argument is the sum */
    void row(Result result, List<Result> threads, WarmUp before) {
        if (json) {
            out.println(json(result, threads, before));
        } else {
            columns(result.plan());
            String size = Quantity.text(result.plan().size());
            Tally tally = result.landed();
            String direct = result.failure() != null ? "-"
                    : Quantity.directShare(tally.placedDirectly(), tally.placedDirectly() + tally.staged());
            if (result.plan().latency()) {
                out.printf(Locale.ROOT, "%10s %12d %9.2f %9.2f %9.2f %9.2f %9.2f %9s", size, result.messages(), result.minimumMicros(),
                        result.micros(50), result.micros(99), result.micros(99.9), result.maximumMicros(), direct);
            } else {
                out.printf(Locale.ROOT, "%s %9s %10.1f %10.1f", rates(size, result.messages(), result.rate()), direct, result.micros(50),
                        result.micros(99));
            }
            out.println((result.plan().both() ? "   there" : "") + (result.failure() == null ? "" : "  (cut short)"));
            if (result.plan().both() && result.failure() == null) {
                // Below each other, in the columns of the line before.
                out.printf("%s %42s%n", rates(size, result.far().sent(), result.reverse()), "back");
                out.printf("%s %42s%n", rates(size, result.messages() + result.far().sent(), result.rate().plus(result.reverse())), "sum");
            }
        }
        out.flush();
    }

    private static String rates(String size, long messages, Rate rate) {
        return String.format(Locale.ROOT, "%10s %12d %12.1f %9.2f %14.0f", size, messages, rate.bytesPerSecond() / 1e6,
                rate.gigabitsPerSecond(), rate.messagesPerSecond());
    }

    /**
     * Shows what was done since the last time, while a measurement goes on.
     *
     * @param at       when it ends, in nanoseconds from the start of the measurement
     * @param nanos    how long it is
     * @param messages how many were done in it
     */
    void interval(Plan plan, long at, long nanos, long messages) {
        Rate rate = Rate.of(messages, plan.size(), nanos);
        if (json) {
            Map<String, Object> object = Json.object("perf.interval");
            object.put("size", plan.size());
            object.put("atSeconds", at / 1e9);
            object.put("seconds", nanos / 1e9);
            object.put("messages", messages);
            rate.describe(object);
            out.println(Json.line(object));
        } else {
            columns(plan);
            out.printf(Locale.ROOT, "%s   until %.1f s%n", rates(Quantity.text(plan.size()), messages, rate), at / 1e9);
        }
        out.flush();
    }

    /** In the header, for people. */
    private static String modeInWords(Plan plan) {
        return plan.both() ? "bandwidth in both directions" : mode(plan);
    }

    private static String mode(Plan plan) {
        return plan.mode().name().toLowerCase(Locale.ROOT);
    }

    /** Shows what the connections that carry nothing take. */
    void idle(IdleConnections connections) {
        idle = connections;
        if (!json) {
            out.printf(Locale.ROOT, "%d idle queue pairs beside: each takes %d bytes of heap and %d of native memory here%n",
                    connections.count(), connections.heapBytesEach(), connections.nativeBytesEach());
        }
    }

    private static Map<String, Object> json(Tally tally) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("readCalls", tally.readCalls());
        object.put("writeCalls", tally.writeCalls());
        object.put("allocatedBytes", tally.allocated());
        object.put("compilerMillis", tally.compilerMillis());
        return object;
    }

    private static Map<String, Object> json(IdleConnections idle) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("queuePairs", idle.count());
        object.put("heapBytesEach", idle.heapBytesEach());
        object.put("nativeBytesEach", idle.nativeBytesEach());
        object.put("connectSeconds", idle.connectNanos() / 1e9);
        return object;
    }

    private static Map<String, Object> latency(Result result) {
        Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("p50", result.micros(50));
        latency.put("p99", result.micros(99));
        latency.put("p999", result.micros(99.9));
        latency.put("minimum", result.minimumMicros());
        latency.put("maximum", result.maximumMicros());
        latency.put("of", !result.plan().latency() ? "post to completion"
                : result.plan().waysPerLatency() == 2 ? "half round trip" : result.plan().operation().toString());
        return latency;
    }

    private static Map<String, Object> json(Result thread) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("connections", thread.connections());
        object.put("messages", thread.messages());
        object.put("seconds", thread.nanos() / 1e9);
        thread.rate().describe(object);
        object.put("latencyMicros", latency(thread));
        object.put("complete", thread.failure() == null);
        return object;
    }

    /** The other direction, and both together. */
    private static void describeBoth(Result result, Map<String, Object> object) {
        Map<String, Object> reverse = new LinkedHashMap<>();
        reverse.put("messages", result.far().sent());
        reverse.put("seconds", result.far().nanos() / 1e9);
        result.reverse().describe(reverse);
        Map<String, Object> sum = new LinkedHashMap<>();
        result.rate().plus(result.reverse()).describe(sum);
        object.put("reverse", reverse);
        object.put("sum", sum);
    }

    private static Map<String, Object> json(WarmUp warmUp) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("seconds", warmUp.seconds());
        object.put("steady", warmUp.isSteady());
        object.put("compilerSeconds", warmUp.compilerSeconds());
        object.put("messagesPerSecond", warmUp.rates());
        object.put("p50Micros", warmUp.medians());
        return object;
    }

    private String json(Result result, List<Result> threads, WarmUp before) {
        Map<String, Object> object = Json.object("perf");
        object.put("operation", result.plan().operation().toString());
        object.put("mode", mode(result.plan()));
        object.put("size", result.plan().size());
        object.put("depth", result.plan().depth());
        object.put("footprint", result.plan().footprint());
        object.put("connections", result.connections());
        object.put("warmUp", json(before));
        object.put("messages", result.messages());
        object.put("seconds", result.nanos() / 1e9);
        result.rate().describe(object);
        object.put("latencyMicros", latency(result));
        if (result.plan().both() && result.failure() == null) {
            describeBoth(result, object);
        }
        object.put("threads", threads.stream().map(Report::json).toList());
        object.put("placedDirectly", result.landed().placedDirectly());
        object.put("staged", result.landed().staged());
        object.put("systemCallsPerMiB", result.systemCallsPerMebibyte());
        object.put("near", json(result.near()));
        object.put("far", json(result.far()));
        if (idle != null) {
            object.put("idle", json(idle));
        }
        object.put("provider", provider);
        object.put("device", device);
        object.put("path", path);
        object.put("crc", crcOf.apply(path));
        object.put("waiting", result.plan().waiting().toString());
        object.put("peerWaiting", peerWaiting.toString());
        object.put("complete", result.failure() == null);
        return Json.line(object);
    }
}

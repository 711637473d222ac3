package org.panamaverbs.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code results.json}: for tools. If the meaning of a field changes, or a field goes, {@link #SCHEMA} counts up. */
final class Json {
    static final int SCHEMA = 2;

    private Json() {
    }

    /** The whole file. */
    static String text(Report report) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("schema", SCHEMA);
        object.put("started", report.started());
        object.put("seconds", report.seconds());
        object.put("quick", report.quick());
        object.put("complete", report.isComplete());
        object.put("failure", report.failure());
        object.put("rounds", report.rounds());
        object.put("secondsPerRun", report.pace().seconds());
        object.put("warmUpSecondsAtMost", report.pace().warmUp());
        object.put("congestionControl", report.congestionControl());
        object.put("machine", report.machine());
        object.put("notes", report.notes());
        object.put("peers", report.peers().stream().map(Json::peer).toList());
        object.put("comparisons", report.outcomes().stream().map(each -> outcome(report, each)).toList());
        Map<String, Object> baseline = new LinkedHashMap<>();
        baseline.put("revision", report.baseline());
        baseline.put("comparisons", report.against().stream().map(each -> outcome(report, each)).toList());
        object.put("baseline", report.baseline() == null ? null : baseline);
        object.put("bandwidthBySize", report.bandwidth().stream().map(series -> series(series, "size", Metric.BYTES_PER_SECOND)).toList());
        object.put("rateByConnections",
                report.rate().stream().map(series -> series(series, "connections", Metric.MESSAGES_PER_SECOND)).toList());
        Map<String, Object> latency = new LinkedHashMap<>();
        report.latency().forEach((name, reading) -> latency.put(name, reading(reading)));
        object.put("latencies", latency);
        try {
            return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(object) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> peer(Peer peer) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", peer.name());
        object.put("version", peer.version());
        object.put("missing", peer.missing());
        return object;
    }

    private static Map<String, Object> outcome(Report report, Outcome outcome) {
        Comparison comparison = outcome.comparison();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", comparison.id());
        object.put("work", comparison.work());
        object.put("against", comparison.against().isEmpty() ? null : comparison.against());
        object.put("metric", comparison.metric().key());
        object.put("test", comparison.test());
        object.put("ours", figures(outcome.ours(), outcome.oursBegan()));
        object.put("theirs", figures(outcome.theirs(), outcome.theirsBegan()));
        object.put("ratio", comparison.theirs() == null ? null : summary(outcome.figure()));
        object.put("reach", Map.of(comparison.reach().atLeast() ? "atLeast" : "atMost", comparison.reach().value()));
        object.put("verdict", report.verdict(outcome).name().toLowerCase(java.util.Locale.ROOT));
        object.put("why", outcome.why());
        if (report.isSlower(outcome)) {
            object.put("slower", true);
        }
        return object;
    }

    private static Map<String, Object> figures(Summary summary, Beginnings began) {
        Map<String, Object> object = summary(summary);
        if (object != null && began != null) {
            Map<String, Object> beginning = new LinkedHashMap<>();
            beginning.put("warmUpSeconds", summary(began.seconds()));
            beginning.put("steadyRounds", began.steadyRounds());
            beginning.put("compilerSeconds", summary(began.compilerSeconds()));
            beginning.put("firstTenSeconds", summary(began.first()));
            beginning.put("bySecond", began.bySecond());
            object.put("beginning", beginning);
        }
        return object;
    }

    private static Map<String, Object> summary(Summary summary) {
        if (summary == null) {
            return null;
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("median", summary.median());
        object.put("least", summary.least());
        object.put("greatest", summary.greatest());
        object.put("values", summary.values());
        if (summary.interval() != null) {
            object.put("interval", summary.interval());
        }
        return object;
    }

    private static Map<String, Object> series(Series series, String key, Metric metric) {
        List<Map<String, Object>> points = new ArrayList<>();
        series.points().forEach((at, value) -> {
            Map<String, Object> point = new LinkedHashMap<>();
            point.put(key, at);
            point.put(metric.key(), value);
            points.add(point);
        });
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", series.name());
        object.put("points", points);
        return object;
    }

    private static Map<String, Object> reading(Reading reading) {
        Map<String, Object> object = new LinkedHashMap<>();
        reading.values().forEach((metric, value) -> object.put(metric.key(), value));
        return object;
    }
}

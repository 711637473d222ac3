package org.panamaverbs.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code report.md}: for people. */
// Tested by ReportTest.
final class Markdown {
    private static final Metric[] PERCENTILES = { Metric.MINIMUM_MICROS, Metric.P50_MICROS, Metric.P99_MICROS, Metric.P999_MICROS,
            Metric.MAXIMUM_MICROS };

    /** The heading of the part after the tables of ratios. */
    static final String DETAILS = "## What was measured";

    private final StringBuilder text = new StringBuilder();
    private final Report report;

    private Markdown(Report report) {
        this.report = report;
    }

    /**
     * The whole file.
     *
     * @param charts names of images beside it
     */
    static String text(Report report, List<String> charts) {
        Markdown markdown = new Markdown(report);
        markdown.head();
        markdown.comparisons();
        markdown.baseline();
        markdown.details();
        markdown.peers();
        markdown.machine();
        charts.forEach(chart -> markdown.line("\n![" + chart.replaceFirst("\\..*", "").replace('-', ' ') + "](" + chart + ")"));
        return markdown.text.toString();
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private void head() {
        line("# panama-verbs beside others\n");
        line(String.format(Locale.ROOT,
                "Over loopback, on one machine, all in turn, under TCP's congestion control %s; rounds: %d. Each run is measured for %s s, JVMs once their compilers were quiet, or after %s s."
                        + " Started %s; took %.0f s.",
                report.congestionControl(), report.rounds(), number(report.pace().seconds()), number(report.pace().warmUp()),
                report.started(), report.seconds()));
        if (report.quick()) {
            line("\n**This run was a quick one: too short to compare speeds by, so no speed is judged.** The lines that do not depend on speed are tested all the same.");
        }
        if (!report.isComplete()) {
            line("\n**The run ended early: " + cell(report.failure()) + ".** What was measured until then follows.");
        }
        report.notes().forEach(note -> line("\n" + note));
    }

    private void comparisons() {
        line("\n| work | against | ratio (least to greatest) | reach | |");
        line("|---|---|---|---|---|");
        for (Outcome outcome : report.outcomes()) {
            Comparison comparison = outcome.comparison();
            line("| " + cell(comparison.work()) + " | " + cell(comparison.against()) + " | " + figure(outcome) + " | " + reach(comparison)
                    + " | " + verdict(outcome) + " |");
        }
    }

    private String verdict(Outcome outcome) {
        return switch (report.verdict(outcome)) {
            case REACHED -> "reached";
            case MISSED -> "**missed**";
            case NOT_MEASURED -> "not measured: " + cell(outcome.why());
            case NOT_JUDGED -> "";
        };
    }

    private void baseline() {
        if (report.baseline() == null) {
            return;
        }
        String name = cell(report.baseline());
        line("\n## Against " + name + "\n");
        line("This tree and " + name
                + " by turns in the same rounds, each by its own `pverbs perf`. A ratio is this tree's figure divided by the"
                + " other's in the same round.\n");
        line(report.rounds() < Summary.LEAST_FOR_INTERVAL
                ? "For the interval of a ratio's median it takes " + Summary.LEAST_FOR_INTERVAL + " rounds; there were " + report.rounds()
                        + ".\n"
                : "In the interval the ratio's median lies with a certainty of 95 % or more: it follows from the order of the "
                        + report.rounds() + " rounds alone. A line is **slower** if its whole interval is below " + Outcome.SLOWER
                        + ", or, if less is better, above the inverse.\n");
        line("| work | against " + name + ": ratio, median (least to greatest) | reach | | this tree | " + name + " |");
        line("|---|---|---|---|---|---|");
        for (Outcome outcome : report.against()) {
            Comparison comparison = outcome.comparison();
            line("| " + cell(comparison.work()) + " | " + figure(outcome) + interval(outcome) + " | " + reach(comparison) + " | "
                    + verdict(outcome) + (report.isSlower(outcome) ? ", **slower**" : "") + " | "
                    + figures(comparison.metric(), outcome.ours(), outcome.oursBegan()) + " | "
                    + figures(comparison.metric(), outcome.theirs(), outcome.theirsBegan()) + " |");
        }
    }

    private static String figure(Outcome outcome) {
        Summary figure = outcome.figure();
        if (figure == null) {
            return "-";
        }
        if (outcome.comparison().theirs() == null) {
            Metric metric = outcome.comparison().metric();
            return metric.text(outcome.counted()) + " (" + metric.text(figure.least()) + " to " + metric.text(figure.greatest()) + ")";
        }
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", figure.median(), figure.least(), figure.greatest());
    }

    /** With a digit more than the ratio: it is there for small differences. */
    private static String interval(Outcome outcome) {
        double[] interval = outcome.figure() == null ? null : outcome.figure().interval();
        return interval == null ? "" : String.format(Locale.ROOT, "; median %.3f, with 95 %% certainty %.3f to %.3f",
                outcome.figure().median(), interval[0], interval[1]);
    }

    private static String reach(Comparison comparison) {
        Bound reach = comparison.reach();
        return comparison.theirs() != null ? reach.text()
                : (reach.atLeast() ? "at least " : "at most ") + comparison.metric().text(reach.value());
    }

    private void details() {
        line("\n" + DETAILS + "\n");
        line("Medians, with the least and the greatest in brackets. A ratio is that of the two runs of a round, and the median of those.\n");
        line("| work | ours | theirs |");
        line("|---|---|---|");
        for (Outcome outcome : report.outcomes()) {
            if (outcome.comparison().theirs() != null) {
                Metric metric = outcome.comparison().metric();
                line("| " + cell(outcome.comparison().work()) + " | " + figures(metric, outcome.ours(), outcome.oursBegan()) + " | "
                        + figures(metric, outcome.theirs(), outcome.theirsBegan()) + " |");
            }
        }
        table("Bandwidth by the size of a message", "size", report.bandwidth(), Metric.BYTES_PER_SECOND, true);
        table("Messages by connections", "connections", report.rate(), Metric.MESSAGES_PER_SECOND, false);
        latencies();
        firstSeconds();
    }

    private void firstSeconds() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (Outcome outcome : Stream.concat(report.outcomes().stream(), report.against().stream()).toList()) {
            Comparison comparison = outcome.comparison();
            addFirstSeconds(rows, comparison.ours(), comparison.metric(), outcome.oursBegan());
            addFirstSeconds(rows, comparison.theirs(), comparison.metric(), outcome.theirsBegan());
        }
        if (rows.isEmpty()) {
            return;
        }
        line("\n### The first seconds of JVMs\n");
        line("From the first message on, second by second: medians of the rounds. Then the length of the warm-up, and what the compilers of both ends used until its end.\n");
        line("| | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | warm-up | compilers |");
        line("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        rows.forEach((name, row) -> line("| " + cell(name) + row));
    }

    private static void addFirstSeconds(Map<String, String> rows, Subject subject, Metric metric, Beginnings began) {
        if (began != null && !began.bySecond().isEmpty()) {
            rows.put(subject.name() + ": " + metric.what(),
                    Stream.concat(began.bySecond().stream().map(metric::text), Stream.generate(() -> "-")).limit(Pace.FIRST_SECONDS)
                            .collect(Collectors.joining(" | ", " | ", " | "))
                            + String.format(Locale.ROOT, "%.0f s | %.1f s |", began.seconds().median(), began.compilerSeconds().median()));
        }
    }

    private void latencies() {
        if (report.latency().isEmpty()) {
            return;
        }
        line("\n### Latencies\n");
        line("Half of round trips; of Reads and atomics, the time from the post to the completion.\n");
        line("| | min | p50 | p99 | p99.9 | max |");
        line("|---|---|---|---|---|---|");
        for (Map.Entry<String, Reading> each : report.latency().entrySet()) {
            StringBuilder row = new StringBuilder("| " + cell(each.getKey()) + " |");
            for (Metric metric : PERCENTILES) {
                Double value = each.getValue().get(metric);
                row.append(' ').append(value == null ? "-" : metric.text(value)).append(" |");
            }
            line(row.toString());
        }
    }

    private void table(String title, String key, List<Series> all, Metric metric, boolean sizes) {
        if (all.isEmpty()) {
            return;
        }
        line("\n### " + title + "\n");
        StringBuilder head = new StringBuilder("| " + key + " |");
        StringBuilder rule = new StringBuilder("|---|");
        TreeSet<Long> keys = new TreeSet<>();
        for (Series series : all) {
            head.append(' ').append(cell(series.name())).append(" |");
            rule.append("---|");
            keys.addAll(series.points().keySet());
        }
        line(head.toString());
        line(rule.toString());
        for (long at : keys) {
            StringBuilder row = new StringBuilder("| " + (sizes ? Sizes.text(at) : Long.toString(at)) + " |");
            for (Series series : all) {
                Double value = series.points().get(at);
                row.append(' ').append(value == null ? "-" : metric.text(value)).append(" |");
            }
            line(row.toString());
        }
    }

    private void peers() {
        line("\n## Who was measured\n");
        line("| | version |");
        line("|---|---|");
        for (Peer peer : report.peers()) {
            line("| " + cell(peer.name()) + " | " + cell(version(peer)) + " |");
        }
    }

    private static String version(Peer peer) {
        if (peer.isPresent()) {
            return peer.version();
        }
        return peer.version() == null ? "missing: " + peer.missing() : peer.version() + ", not measured: " + peer.missing();
    }

    private void machine() {
        line("\n## The machine\n");
        line("| | |");
        line("|---|---|");
        report.machine().forEach((name, value) -> line("| " + name + " | " + cell(value) + " |"));
    }

    private static String summary(Metric metric, Summary summary) {
        return summary == null ? "-"
                : metric.text(summary.median()) + " (" + metric.text(summary.least()) + " to " + metric.text(summary.greatest()) + ")";
    }

    /** With the figure of the first seconds, and whether the JVMs were steady. */
    private String figures(Metric metric, Summary summary, Beginnings began) {
        String text = summary(metric, summary);
        if (summary != null && began != null && began.first() != null) {
            text += "; first 10 s: " + metric.text(began.first().median());
        }
        return summary == null || began == null || began.areSteady() || report.quick() ? text
                : text + "; **not steady after " + began.unsteady() + "**";
    }

    /** Text that does not end a cell. */
    private static String cell(String text) {
        return text.replace("|", "\\|").replace('\n', ' ');
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}

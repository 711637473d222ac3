package org.panamaverbs.softiwarp.faults;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the rounds of each kind ended. */
final class FaultReport {
    private static final Pattern COUNT = Pattern.compile("([A-Z_]+)=(\\d+)");

    private static final class Line {
        private int rounds;
        private int failed;
        private long connections;
        private final Map<String, Integer> causes = new TreeMap<>();
        private final Map<String, Long> statuses = new TreeMap<>();
        private final List<Long> times = new ArrayList<>();
        private String resources = "";
    }

    private final Map<Fault, Line> lines = new EnumMap<>(Fault.class);

    /** A round is over. */
    void add(Fault fault, boolean failed) {
        Line line = line(fault);
        line.rounds++;
        line.failed += failed ? 1 : 0;
    }

    /** A connection of a survivor has ended, so many milliseconds after the fault. */
    void add(Fault fault, String cause, String statuses, long millis) {
        Line line = line(fault);
        line.connections++;
        line.causes.merge(cause, 1, Integer::sum);
        line.times.add(millis);
        for (Matcher each = COUNT.matcher(statuses); each.find();) {
            line.statuses.merge(each.group(1), Long.parseLong(each.group(2)), Long::sum);
        }
    }

    /** What a survivor held before its round and after it: the same, or else the round has failed. */
    void resources(Fault fault, String counts) {
        line(fault).resources = counts;
    }

    private Line line(Fault fault) {
        return lines.computeIfAbsent(fault, key -> new Line());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                "| fault | rounds | failed | connections | ends | completions | ms to the end: median | worst |\n"
                        + "|---|---|---|---|---|---|---|---|\n");
        lines.forEach((fault, line) -> {
            line.times.sort(null);
            text.append("| ").append(fault).append(" | ").append(line.rounds).append(" | ").append(line.failed).append(" | ")
                    .append(line.connections).append(" | ").append(line.causes).append(" | ").append(line.statuses).append(" | ")
                    .append(line.times.isEmpty() ? "" : line.times.get(line.times.size() / 2)).append(" | ")
                    .append(line.times.isEmpty() ? "" : line.times.getLast()).append(" |\n");
        });
        lines.forEach((fault, line) -> text.append(fault).append(", resources before its last round -> after it: ").append(line.resources)
                .append('\n'));
        return text.toString();
    }
}

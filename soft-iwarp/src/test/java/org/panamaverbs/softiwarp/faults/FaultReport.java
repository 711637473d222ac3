package org.panamaverbs.softiwarp.faults;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the rounds of each kind ended. */
final class FaultReport {
    private static final Pattern COUNT = Pattern.compile("([A-Za-z_]+)=(-?\\d+)");

    /** The least and the greatest of some numbers. */
    private static final class Span {
        private long least = Long.MAX_VALUE;
        private long greatest = Long.MIN_VALUE;

        private void add(long number) {
            least = Math.min(least, number);
            greatest = Math.max(greatest, number);
        }

        @Override
        public String toString() {
            return least == greatest ? String.format("%+d", least) : String.format("%+d to %+d", least, greatest);
        }
    }

    private static final class Line {
        private int rounds;
        private int failed;
        private int early;
        private long connections;
        private final Map<String, Integer> causes = new TreeMap<>();
        private final Map<String, Long> statuses = new TreeMap<>();
        private final List<Long> times = new ArrayList<>();
        private long releases;
        /** Of each resource, how much more the survivors held after a round than before it. */
        private final Map<String, Span> resources = new LinkedHashMap<>();
    }

    private final Map<Fault, Line> lines = new EnumMap<>(Fault.class);

    /** A round is over; {@code early} if its fault came while connections began. */
    void add(Fault fault, boolean failed, boolean early) {
        Line line = line(fault);
        line.rounds++;
        line.failed += failed ? 1 : 0;
        line.early += early ? 1 : 0;
    }

    /** A connection of a survivor has ended, so many milliseconds after the fault. */
    void add(Fault fault, ConnectionSummary connection, long millis) {
        Line line = line(fault);
        line.connections++;
        line.causes.merge(connection.cause(), 1, Integer::sum);
        line.times.add(millis);
        for (Matcher each = COUNT.matcher(connection.sent() + connection.received()); each.find();) {
            line.statuses.merge(each.group(1), Long.parseLong(each.group(2)), Long::sum);
        }
    }

    /** A survivor's resources before its round and after it, as {@link FaultEnd} answers. */
    void resources(Fault fault, String answer) {
        int arrow = answer.indexOf(" -> ");
        if (arrow < 0) {
            return;
        }
        Line line = line(fault);
        line.releases++;
        Map<String, Long> before = counts(answer.substring(0, arrow));
        Map<String, Long> after = counts(answer.substring(arrow, answer.indexOf('}', arrow)));
        before.forEach((name, count) -> line.resources.computeIfAbsent(name, key -> new Span()).add(after.get(name) - count));
    }

    private static Map<String, Long> counts(String text) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Matcher each = COUNT.matcher(text); each.find();) {
            counts.put(each.group(1), Long.parseLong(each.group(2)));
        }
        return counts;
    }

    private Line line(Fault fault) {
        return lines.computeIfAbsent(fault, key -> new Line());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                "| fault | rounds | failed | at the start | connections | ends | completions | ms to the end: median | worst |\n"
                        + "|---|---|---|---|---|---|---|---|---|\n");
        lines.forEach((fault, line) -> {
            line.times.sort(null);
            text.append("| ").append(fault).append(" | ").append(line.rounds).append(" | ").append(line.failed).append(" | ")
                    .append(line.early).append(" | ").append(line.connections).append(" | ").append(line.causes).append(" | ")
                    .append(line.statuses).append(" | ").append(line.times.isEmpty() ? "" : line.times.get(line.times.size() / 2))
                    .append(" | ").append(line.times.isEmpty() ? "" : line.times.getLast()).append(" |\n");
        });
        text.append("\nWhat the survivors held after their rounds, less what they held before: the least and the greatest difference.\n\n")
                .append("| fault | survivors | differences |\n|---|---|---|\n");
        lines.forEach((fault, line) -> text.append("| ").append(fault).append(" | ").append(line.releases).append(" | ")
                .append(line.resources).append(" |\n"));
        return text.toString();
    }
}

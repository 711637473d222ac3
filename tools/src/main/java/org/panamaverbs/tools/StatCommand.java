package org.panamaverbs.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.statistics.StatisticsFile;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code pverbs stat}: the statistics that a running process publishes. The process may be of another version: lines of kinds that this one
 * does not know are left out, and fields that are missing or no numbers show as they are.
 */
@Command(name = "stat", mixinStandardHelpOptions = true, description = {
        "Shows the counters, connections, pinned memory and errors of a running process that has the setting panamaverbs.statistics=on.",
        "Of a process that has died it shows the last state, says so, and removes the file." })
public final class StatCommand implements Callable<Integer> {
    /** A process writes once a second. */
    private static final Duration LATE = Duration.ofSeconds(5);
    /** The fields of each kind of line, behind the kind; the text of the last may be anything. */
    private static final Map<String, List<String>> KINDS = Map.of("device", List.of("name", "provider"), "count", List.of("name", "value"),
            "memory", List.of("registered", "pinned", "pinnedByProcess", "limit"), "holder",
            List.of("owner", "regions", "registered", "pinned"), "error", List.of("count", "first", "last", "text"), "connection",
            List.of("local", "remote", "path", "queuePair", "since", "counts"), "more", List.of());

    @Parameters(paramLabel = "PID", arity = "0..1", description = "The process; without it all of this user that publish statistics.")
    private long process;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        List<StatisticsFile> files = StatisticsFile.find(process);
        if (files.isEmpty()) {
            throw new Failure(Failure.Kind.FAILED, (process == 0 ? "no process of this user publishes"
                    : "process " + process + " publishes no")
                    + " statistics: start it with the setting panamaverbs.statistics=on, as the same user, and with the same java.io.tmpdir");
        }
        if (json) {
            Map<String, Object> object = Json.object("stat");
            object.put("processes", files.stream().map(StatCommand::describe).toList());
            out.println(Json.lines(object));
        } else {
            files.forEach(file -> print(out, file));
        }
        out.flush();
        for (StatisticsFile file : files) {
            if (!file.running()) {
                Files.deleteIfExists(file.file());
            }
        }
        return 0;
    }

    /** The fields of a line by their names, or {@code null} for a kind or a length that is not known. */
    private static Map<String, String> fields(List<String> line) {
        List<String> names = KINDS.get(line.getFirst());
        if (names == null || line.size() <= names.size()) {
            return null;
        }
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("kind", line.getFirst());
        for (int i = 0; i < names.size(); i++) {
            fields.put(names.get(i), line.get(i + 1));
        }
        return fields;
    }

    private static List<Map<String, String>> entries(StatisticsFile file) {
        List<Map<String, String>> entries = new ArrayList<>();
        for (List<String> line : file.lines()) {
            Map<String, String> fields = fields(line);
            if (fields != null) {
                entries.add(fields);
            }
        }
        return entries;
    }

    private static Map<String, Object> describe(StatisticsFile file) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("process", file.process());
        described.put("running", file.running());
        described.put("updated", file.updated().toString());
        described.put("lines", entries(file));
        return described;
    }

    private static void print(PrintWriter out, StatisticsFile file) {
        out.println("process " + file.process() + state(file));
        for (Map<String, String> fields : entries(file)) {
            out.println(Printable.of(line(fields)));
        }
    }

    private static String state(StatisticsFile file) {
        Duration age = Duration.between(file.updated(), Instant.now());
        if (!file.running()) {
            return " has died: this was its state at " + file.updated() + ". The file " + Printable.of(file.file().toString())
                    + " is removed";
        }
        return age.compareTo(LATE) > 0 ? ", state of " + file.updated() + ": it has not written since; it is stopped, or very busy" : "";
    }

    private static String line(Map<String, String> fields) {
        return switch (fields.get("kind")) {
            case "device" -> "device " + fields.get("name") + " (" + fields.get("provider") + ")";
            case "count" -> "  " + fields.get("name") + " " + fields.get("value");
            case "memory" -> "  registered " + fields.get("registered") + " bytes, pinned " + fields.get("pinned")
                    + optional(", by the whole process ", fields.get("pinnedByProcess")) + optional(" of at most ", fields.get("limit"));
            case "holder" -> "    " + fields.get("owner") + ": " + fields.get("registered") + " bytes in " + fields.get("regions")
                    + " regions, pinned " + fields.get("pinned");
            case "error" -> "  error, " + fields.get("count") + " times, first " + time(fields.get("first")) + ", last "
                    + time(fields.get("last")) + ": " + fields.get("text");
            case "connection" -> "  connection " + fields.get("local") + " to " + fields.get("remote") + " by " + fields.get("path")
                    + ", queue pair " + fields.get("queuePair") + ", since " + time(fields.get("since")) + ": "
                    + fields.get("counts").replace(",", ", ").replace("=", " ");
            default -> "  ... more than the file holds";
        };
    }

    /** Nothing for a value that the provider does not have. */
    private static String optional(String words, String value) {
        return value.equals("-1") ? "" : words + value;
    }

    private static String time(String millis) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(millis)).truncatedTo(ChronoUnit.SECONDS).toString();
        } catch (NumberFormatException | DateTimeException e) {
            return millis;
        }
    }
}

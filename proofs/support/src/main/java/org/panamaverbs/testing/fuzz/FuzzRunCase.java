package org.panamaverbs.testing.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.testing.TestClasses;

/**
 * Runs Jazzer on every target of a module, each in a JVM of its own, for an equal share of {@code fuzz.minutes}. New inputs, those that
 * fail and the output of each target lie in {@code target/fuzz}; {@code target/fuzz/report.txt} has a line for each.
 */
public abstract class FuzzRunCase {
    private static final int FINDING = 77;
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+) ft: (\\d+) corp: (\\d+)");
    private static final Pattern EXECUTIONS = Pattern.compile("stat::number_of_executed_units:\\s+(\\d+)");
    private static final Pattern STATUS = Pattern.compile("(?m)^#(\\d+)\\s");
    private static final long GRACE_MINUTES = 5;
    /** An input that takes longer is a finding. */
    private static final int INPUT_SECONDS = 30;

    @Test
    @Timeout(value = 7, unit = TimeUnit.DAYS)
    void shouldFindNothing() throws Exception {
        List<FuzzTarget> targets = FuzzTarget.all();
        assertFalse(targets.isEmpty(), "no fuzz target");
        long seconds = Math.max(1, Math.round(60 * Double.parseDouble(System.getProperty("fuzz.minutes", "1")) / targets.size()));
        Path output = Files.createDirectories(TestClasses.module().resolve("target/fuzz"));
        List<String> report = new ArrayList<>();
        boolean found = false;
        for (FuzzTarget target : targets) {
            int exit = run(target, output, seconds);
            found |= exit != 0;
            report.add(line(target, output, seconds, exit));
            System.out.println(report.getLast());
        }
        Files.write(output.resolve("report.txt"), report);
        assertFalse(found, String.join(System.lineSeparator(), report));
    }

    private static int run(FuzzTarget target, Path output, long seconds) throws IOException, InterruptedException {
        Path corpus = Files.createDirectories(output.resolve(target.name()));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
                "--enable-native-access=ALL-UNNAMED", "-cp", classPath, "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.type().getName(), "--instrumentation_includes=org.panamaverbs.**", "--reproducer_path=" + output,
                "-max_total_time=" + seconds, "-timeout=" + INPUT_SECONDS, "-print_final_stats=1",
                "-artifact_prefix=" + output + File.separator + target.name() + "-", corpus.toString(), target.corpus().toString())
                .redirectErrorStream(true).redirectOutput(log(target, output).toFile()).start();
        try {
            if (!process.waitFor(seconds + TimeUnit.MINUTES.toSeconds(GRACE_MINUTES), TimeUnit.SECONDS)) {
                return -1;
            }
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Path log(FuzzTarget target, Path output) {
        return output.resolve(target.name() + ".log");
    }

    private static String line(FuzzTarget target, Path output, long seconds, int exit) throws IOException {
        String log = Files.readString(log(target, output), java.nio.charset.StandardCharsets.ISO_8859_1);
        String end = switch (exit) {
            case 0 -> "no finding";
            case -1 -> "DID NOT END";
            case FINDING -> "FINDING: see " + log(target, output);
            default -> "FAILED with " + exit + ": see " + log(target, output);
        };
        String executions = last(EXECUTIONS, log, 1);
        return "%s: %d s, %s executions, coverage %s edges, %s features, %s inputs, %s".formatted(target.name(), seconds,
                executions.equals("?") ? last(STATUS, log, 1) : executions, last(COVERAGE, log, 1), last(COVERAGE, log, 2),
                last(COVERAGE, log, 3), end);
    }

    private static String last(Pattern pattern, String text, int group) {
        String found = "?";
        for (Matcher matcher = pattern.matcher(text); matcher.find();) {
            found = matcher.group(group);
        }
        return found;
    }
}

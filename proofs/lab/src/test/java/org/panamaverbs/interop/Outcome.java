package org.panamaverbs.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Counts what the tests came to, and writes it into {@code outcome} in the folder that the environment names as LAB_OUT: one line for each
 * class, below it every failure, and every skip with its reason, those with the same reason together. Written anew after each test, so
 * that a crash of the machine leaves what there was. How long each test took is in {@code times} there.
 */
public final class Outcome implements TestExecutionListener {
    /** The result of one class. */
    private static final class Count {
        private int passed;
        private Duration took = Duration.ZERO;
        private final List<String> failed = new ArrayList<>();
        private final Map<String, List<String>> skipped = new TreeMap<>();
    }

    private final Map<String, Count> counts = new TreeMap<>();
    private final String folder = System.getenv("LAB_OUT");
    private final Map<UniqueId, Long> began = new HashMap<>();
    private TestPlan plan;

    /** For {@link java.util.ServiceLoader}. */
    public Outcome() {
        // Nothing to do.
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        if (test.isTest()) {
            skip(test, reason);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        began.put(test.getUniqueIdObject(), System.nanoTime());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String message = result.getThrowable().map(Throwable::getMessage).map(text -> text.strip().lines().findFirst().orElse(""))
                .orElse("");
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            count(test).failed.add(name(test) + ": " + message);
        } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.ABORTED) {
            skip(test, message);
        } else if (test.isTest()) {
            count(test).passed++;
        }
        if (test.isTest()) {
            Duration took = Duration.ofNanos(System.nanoTime() - began.remove(test.getUniqueIdObject()));
            count(test).took = count(test).took.plus(took);
            write("times", String.format("%8d ms %s%n", took.toMillis(), name(test)), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        write();
    }

    private void skip(TestIdentifier test, String reason) {
        // The pair and the test are named there as well.
        String plain = reason.replaceFirst("^Assumption failed: ", "").replaceFirst("^[A-Z0-9_]+ to [A-Z0-9_]+, [A-Za-z]+[.][A-Za-z]+: ",
                "");
        count(test).skipped.computeIfAbsent(plain, _ -> new ArrayList<>()).add(name(test));
    }

    private Count count(TestIdentifier test) {
        return counts.computeIfAbsent(path(test).getFirst(), _ -> new Count());
    }

    private String name(TestIdentifier test) {
        List<String> path = path(test);
        return String.join(".", path.subList(Math.min(1, path.size() - 1), path.size()));
    }

    /** The names from the class to the test. */
    private List<String> path(TestIdentifier test) {
        List<String> names = new ArrayList<>();
        TestIdentifier at = test;
        while (at != null && at.getParentId().isPresent()) {
            names.addFirst(at.getDisplayName());
            at = plan.getParent(at).orElse(null);
        }
        return names.isEmpty() ? List.of(test.getDisplayName()) : names;
    }

    private void write() {
        StringBuilder text = new StringBuilder();
        counts.forEach((name, count) -> {
            int skips = count.skipped.values().stream().mapToInt(List::size).sum();
            text.append(name.replace("ContractTest", "")).append(": ").append(count.passed + count.failed.size() + skips).append(" tests, ")
                    .append(count.passed).append(" passed, ").append(count.failed.size()).append(" failed, ").append(skips)
                    .append(" skipped, in ").append(count.took.toSeconds()).append(" s\n");
            count.failed.forEach(failure -> text.append("  FAILED ").append(failure).append('\n'));
            count.skipped.forEach((reason, tests) -> text.append("  skipped ").append(tests.size()).append(": ").append(reason)
                    .append("\n    ").append(String.join("\n    ", tests)).append('\n'));
        });
        write("outcome", text);
    }

    private void write(String file, CharSequence text, OpenOption... options) {
        if (folder == null) {
            return;
        }
        try {
            Files.writeString(Path.of(folder, file), text, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package org.panamaverbs.nio;

import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.panamaverbs.nio.Scene.Operation;
import org.panamaverbs.nio.Scene.State;

/** Lines of a program's operations, each in a scene of its own, with what they give on a provider. */
final class Transcript {
    private static final int THREADS = 32;
    /** After so long an operation counts as one that waits. */
    private static final long FIRST_MILLIS = 50;
    /** For lines that are not as expected, as on a busy machine. */
    private static final long[] NEXT_MILLIS = { 1000, 60_000 };

    private record Line(State state, Operation operation) {
    }

    private final Map<String, Line> lines = new LinkedHashMap<>();

    /** Adds each operation in each state. */
    void add(Map<String, State> states, Map<String, Operation> operations) {
        states.forEach((state, preparation) -> operations.forEach((name, operation) -> {
            if (lines.put(state + ": " + name, new Line(preparation, operation)) != null) {
                throw new IllegalStateException("two lines of " + state + ": " + name);
            }
        }));
    }

    int size() {
        return lines.size();
    }

    private static String run(Line line, SelectorProvider provider, long millis) {
        try (Scene scene = new Scene(provider, millis)) {
            line.state.prepare(scene);
            return scene.run(line.operation, millis);
        } catch (Exception e) {
            return "the state is not reached: " + e;
        }
    }

    /**
     * Runs all lines, and those that are not as expected once more, with more patience.
     *
     * @param expected patterns of lines that may differ; of each pattern at least one does
     * @return for each line that differs, what the first and the second provider gave
     */
    Map<String, List<String>> differences(SelectorProvider first, SelectorProvider second, List<String> expected) throws Exception {
        Map<String, List<String>> different = compare(lines, first, second, FIRST_MILLIS);
        for (long millis : NEXT_MILLIS) {
            Set<String> before = Set.copyOf(different.keySet());
            Map<String, Line> again = new LinkedHashMap<>(lines);
            again.keySet().removeIf(line -> isAsExpected(line, before, expected));
            different.keySet().removeAll(again.keySet());
            different.putAll(compare(again, first, second, millis));
        }
        return different;
    }

    private static boolean isAsExpected(String line, Set<String> different, List<String> expected) {
        List<String> patterns = expected.stream().filter(line::matches).toList();
        return different.contains(line) ? !patterns.isEmpty()
                : patterns.stream().allMatch(pattern -> different.stream().anyMatch(each -> each.matches(pattern)));
    }

    private static Map<String, List<String>> compare(Map<String, Line> lines, SelectorProvider first, SelectorProvider second, long millis)
            throws Exception {
        Map<String, Future<List<String>>> running = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            lines.forEach((name, line) -> {
                Callable<List<String>> both = () -> List.of(run(line, first, millis), run(line, second, millis));
                running.put(name, threads.submit(both));
            });
        }
        Map<String, List<String>> different = new TreeMap<>();
        for (Map.Entry<String, Future<List<String>>> each : running.entrySet()) {
            List<String> results = each.getValue().get();
            if (!results.get(0).equals(results.get(1))) {
                different.put(each.getKey(), results);
            }
        }
        return different;
    }
}

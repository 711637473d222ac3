package org.panamaverbs;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the test class that its argument names, in a process of its own, and says how many tests passed, were skipped and failed. It returns
 * 0 only if some passed and none failed. Tests with the tag {@code proofs} run with {@code -Dproofs=true} alone.
 */
final class ContractRun implements TestExecutionListener {
    private final Map<String, Integer> reasons = new TreeMap<>();
    private int passed;
    private int skipped;
    private int failed;

    private ContractRun() {
    }

    public static void main(String[] arguments) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(arguments[0]))
                .configurationParameter("junit.jupiter.execution.timeout.default", "300 s")
                .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
                .filters(Boolean.getBoolean("proofs") ? new Filter<?>[0] : new Filter<?>[] { TagFilter.excludeTags("proofs") }).build();
        ContractRun run = new ContractRun();
        LauncherFactory.create().execute(request, run);
        run.reasons.forEach((reason, count) -> System.out.println("skipped " + count + ": " + reason));
        System.out.println(arguments[0] + ": " + run.passed + " passed, " + run.skipped + " skipped, " + run.failed + " failed");
        // Threads that a failed test has left behind do not keep the process.
        System.exit(run.failed == 0 && run.passed > 0 ? 0 : 1);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        count(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
            case ABORTED -> count(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason"));
            case FAILED -> {
                failed++;
                System.out.println("failed: " + name(test));
                result.getThrowable().ifPresent(failure -> failure.printStackTrace(System.out));
            }
        }
    }

    private void count(TestIdentifier test, String reason) {
        skipped++;
        reasons.merge(test.isTest() ? reason : name(test) + ": " + reason, 1, Integer::sum);
    }

    private static String name(TestIdentifier test) {
        return test.getUniqueIdObject().getSegments().stream().skip(1).map(segment -> segment.getValue().replaceAll(".*\\.", ""))
                .collect(Collectors.joining("/")) + " " + test.getDisplayName();
    }
}

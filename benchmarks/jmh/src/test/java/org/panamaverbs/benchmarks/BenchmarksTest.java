package org.panamaverbs.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Each benchmark runs, finds its own results sound, and allocates nothing. Times say nothing here: all run in this JVM, and shortly. */
class BenchmarksTest {
    private static final Class<?>[] ALL = { ChecksumBenchmark.class, DeliveryBenchmark.class, HeaderBenchmark.class,
            PlacementBenchmark.class, PostPollBenchmark.class, QueueBenchmark.class };
    /** A path is compiled when it has run long enough: a path that still allocates is given longer. */
    private static final int[] WARM_UPS = { 400, 2000, 5000, 10000 };

    private static Set<String> benchmarks() {
        return Stream.of(ALL).flatMap(type -> Stream.of(type.getMethods())).filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(BenchmarksTest::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldRunEveryBenchmark() throws Exception {
        Set<String> benchmarks = benchmarks();
        assertEquals(benchmarks, names(run(benchmarks, 1, 1)));
    }

    @Test
    @Tag("proofs") // Paths that are not compiled in time allocate.
    @Timeout(600)
    void shouldRunEveryBenchmarkWithoutAllocating() throws Exception {
        Set<String> benchmarks = benchmarks();
        TreeMap<String, Double> allocating = null;
        for (int warmUp : WARM_UPS) {
            Set<String> wanted = allocating == null ? benchmarks : allocating.keySet();
            Collection<RunResult> results = run(wanted, warmUp, 100);
            assertEquals(wanted, names(results));
            allocating = new TreeMap<>();
            for (RunResult result : results) {
                double bytes = Benchmarks.allocated(result);
                if (!(bytes < Benchmarks.ALLOCATES)) {
                    allocating.put(result.getParams().getBenchmark(), bytes);
                }
            }
            if (allocating.isEmpty()) {
                return;
            }
        }
        assertTrue(allocating.isEmpty(), "bytes allocated per operation: " + allocating);
    }

    @Test
    void shouldNoticeAnAllocationPerOperation() throws Exception {
        RunResult result = run(Set.of(name(Allocating.class.getMethod("object"))), WARM_UPS[0], 100).iterator().next();
        assertTrue(Benchmarks.allocated(result) >= Benchmarks.ALLOCATES, () -> Benchmarks.allocated(result) + " bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-1", "x", "1073741825", "99999999999999999999" })
    void shouldRefuseASizeThatIsNone(String size) throws Exception {
        assertNotNull(Benchmarks.refused(new CommandLineOptions("-p", "size=64," + size + ",")));
    }

    @Test
    void shouldTakeASizeAndNone() throws Exception {
        assertNull(Benchmarks.refused(new CommandLineOptions("-p", "size=64,64704")));
        assertNull(Benchmarks.refused(new CommandLineOptions("Queue")));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -1, 65522, 1 << 20 })
    void shouldMakeNoFrameThatTheWireCannotHave(int payload) {
        assertThrows(IllegalArgumentException.class, () -> ArrivedFrames.memoryFor(payload));
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    private static Set<String> names(Collection<RunResult> results) {
        return results.stream().map(result -> result.getParams().getBenchmark()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Collection<RunResult> run(Set<String> benchmarks, int warmUp, int millis) throws RunnerException {
        // Others may be measuring on this machine: nothing here depends on being alone.
        System.setProperty("jmh.ignoreLock", "true");
        ChainedOptionsBuilder options = new OptionsBuilder().forks(0).shouldFailOnError(true).verbosity(VerboseMode.SILENT)
                .addProfiler(GCProfiler.class).param("size", "4096").param("crc", "true").warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(warmUp)).measurementIterations(3).measurementTime(TimeValue.milliseconds(millis));
        benchmarks.forEach(name -> options.include("^" + Pattern.quote(name) + "$"));
        return new Runner(options.build()).run();
    }
}

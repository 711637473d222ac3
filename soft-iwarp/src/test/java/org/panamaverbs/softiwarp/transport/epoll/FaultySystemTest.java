package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;

/**
 * The epoll transport on a system in trouble ({@link FaultySystem}), in a process of its own ({@link FaultRun}).
 *
 * <pre>
 * -Dfaults.seed=N      chooses the faults and their order; another one each time if nothing is said
 * -Dfaults.seconds=N   for each kind; a moment (proofs.millis) if nothing is said; 60 or more go through all of them
 * </pre>
 */
@Execution(ExecutionMode.CONCURRENT)
class FaultySystemTest {
    private static final long SECONDS = Long.getLong("faults.seconds", 0);
    private static final long MILLIS = SECONDS > 0 ? 1000 * SECONDS : Proofs.loopNanos() / 1_000_000;
    private static final long LIMIT_MILLIS = 180_000;
    private static final long SEED = Long.getLong("faults.seed", System.nanoTime() & 0xFFFF_FFFFL);

    @TempDir
    Path folder;

    /** Each call fails with each of its errors; harmless faults at random; native memory ends at one allocation after another. */
    @ParameterizedTest
    @ValueSource(strings = { "errors", "harmless", "memory" })
    void shouldFailInGoodOrderOrNotAtAll(String kind) throws Exception {
        String said = run(FaultRun.class, kind, Long.toString(SEED), Long.toString(MILLIS));
        if (SECONDS > 0) {
            System.out.println(kind + ", seed " + SEED + ":\n" + said);
        }
    }

    @Test
    void shouldWatchOtherPeersThoughOneQuestionFails() throws Exception {
        run(FaultyWatch.class);
    }

    private String run(Class<?> program, String... arguments) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.resolve("error"),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(MILLIS + LIMIT_MILLIS, TimeUnit.MILLISECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> "-Dfaults.seed=" + SEED + ": " + what(output));
        assertTrue(what(output).contains("survived"), () -> what(output));
        return what(output);
    }

    private static String what(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

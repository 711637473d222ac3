package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A file that is mapped and registered may be cut short by any process that may write to it. An access to it then gets SIGBUS: a copy or a
 * call of the system survives that, a checksum computed in place takes the JVM with it.
 */
class MappedSinkTest {
    private static final long MILLIS = 3000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({ "epoll, false", "epoll, true", "nio, false", "nio, true" })
    void shouldSurviveAFileThatIsCutShortWhileAPeerWritesToIt(String transport, boolean verifying) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.resolve("error"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", System.getProperty("java.class.path"),
                MappedSinkHammer.class.getName(), transport, folder.resolve("sink").toString(), Long.toString(MILLIS),
                Boolean.toString(verifying)))
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> what(output));
        assertTrue(what(output).contains("survived"), () -> what(output));
    }

    /** The output of the process; from the output of a JVM that dies, the signal and the frame. */
    private static String what(Path output) {
        try (Stream<String> lines = Files.lines(output)) {
            return String.join("; ", lines.filter(line -> !line.startsWith("#") || line.contains("SIG") || line.startsWith("# v")
                    || line.startsWith("# C") || line.startsWith("# J")).toList());
        } catch (IOException e) {
            return e.toString();
        }
    }
}

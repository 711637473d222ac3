package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Proofs;

/**
 * A file that is mapped and registered may be cut short by any process that may write to it. An access to it then gets SIGBUS: a copy or a
 * call of the system survives that, a checksum computed in place takes the JVM with it.
 */
class MappedSinkTest {
    /** {@code -Dmapped.millis=N}: for so many milliseconds each, or until there were enough cuts. */
    private static final long MILLIS = Long.getLong("mapped.millis", Proofs.run() ? 1000 : 100);

    @TempDir
    Path folder;

    /** A transport, whether each CRC is checked before its FPDU is placed, and the compiler. */
    static List<String> variants() {
        return Proofs.cases("epoll false -XX:TieredStopAtLevel=1", "epoll false -Xmixed", "epoll true -Xmixed", "nio false -Xmixed",
                "nio true -Xmixed", "epoll false -Xint", "nio false -XX:TieredStopAtLevel=1");
    }

    @ParameterizedTest
    @MethodSource("variants")
    void shouldSurviveAFileThatIsCutShortWhileAPeerUsesIt(String variant) throws Exception {
        String[] words = variant.split(" ");
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), words[2],
                "--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.resolve("error"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", System.getProperty("java.class.path"),
                MappedSinkHammer.class.getName(), words[0], folder.resolve("sink").toString(), Long.toString(MILLIS), words[1]))
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> what(output));
        Matcher cuts = Pattern.compile("survived (\\d+) cuts").matcher(what(output));
        assertTrue(cuts.find() && Long.parseLong(cuts.group(1)) >= MILLIS / MappedSinkHammer.MILLIS_OF_A_CUT,
                () -> "too few cuts: " + what(output));
        for (MappedSinkHammer.Use each : MappedSinkHammer.Use.values()) {
            Matcher use = Pattern.compile(each + ": \\d+ connections, (\\d+) ended by a cut, (\\d+) operations").matcher(what(output));
            assertTrue(use.find() && Long.parseLong(use.group(1)) >= MappedSinkHammer.LEAST
                    && Long.parseLong(use.group(2)) >= MappedSinkHammer.LEAST, () -> "too little of " + each + ": " + what(output));
        }
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

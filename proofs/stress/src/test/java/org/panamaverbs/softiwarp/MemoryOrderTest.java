package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Runs jcstress in a process of its own, with all its tests: the classes {@code ...Order}. In each of them two threads run at the same
 * time. Both do their parts with thousands of objects, one after another, and are compiled as the product is. A forbidden outcome fails
 * the test. So jcstress shows how the compiler and the processor change the order of accesses to memory, which {@link Interleavings} cannot
 * show. But jcstress does not choose the schedule: it finds a rare one only by chance.
 */
class MemoryOrderTest {
    private static final Path FOLDER = Path.of("target", "jcstress").toAbsolutePath();
    private static final String OPTIONS = System.getProperty("stress.jcstress", "-m quick");
    private static final Pattern PASSED = Pattern.compile("Results: \\d+ planned; (\\d+) passed, 0 failed, 0 soft errs, 0 hard errs");

    @Test
    void shouldHaveNoForbiddenOutcome() throws IOException, InterruptedException {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "jcstress needs a processor for each of two threads");
        Path output = Files.createDirectories(FOLDER).resolve("output");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main", "-v"));
        command.addAll(List.of(OPTIONS.split(" ")));
        Process process = new ProcessBuilder(command).directory(FOLDER.toFile()).redirectErrorStream(true).redirectOutput(output.toFile())
                .start();
        try {
            assertEquals(0, process.waitFor(), () -> textOf(output));
        } finally {
            process.destroy();
        }
        // A test that jcstress cannot run here does not fail, but does not pass, either.
        assertTrue(passed(textOf(output)) >= tests(), () -> textOf(output));
    }

    private static int passed(String output) {
        int most = 0;
        Matcher passed = PASSED.matcher(output);
        while (passed.find()) {
            most = Math.max(most, Integer.parseInt(passed.group(1)));
        }
        return most;
    }

    private static long tests() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("target", "test-classes"))) {
            return files.filter(file -> file.getFileName().toString().endsWith("Order.class")).count();
        }
    }

    private static String textOf(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

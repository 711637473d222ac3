package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A provider outside this project, {@code examples/loopback-provider}, compiles against this module and the contract suite alone, is found,
 * and passes the suite. It has no access to other modules or tests: it is a guest like any other.
 */
@Execution(ExecutionMode.CONCURRENT)
class LoopbackProviderTest {
    private static final Path PROJECT = Path.of("..", "examples", "loopback-provider", "src");
    private static final String CONTRACT = "org/panamaverbs/contract/";
    private static final String RUNNER = "org/panamaverbs/ContractRun";
    private static final long LIMIT_SECONDS = 900;
    /** Far fewer would mean that the suite was not found, or skips what the provider can do. */
    private static final int LEAST_PASSED = 350;
    private static final Pattern COUNTS = Pattern.compile("LoopbackContractTest: (\\d+) passed, (\\d+) skipped, 0 failed");

    @Test
    @Timeout(value = 2 * LIMIT_SECONDS)
    void shouldPassTheContractSuite(@TempDir Path folder) throws Exception {
        String product = entries(entry -> entry.endsWith("classes") && !entry.endsWith("test-classes") || entry.contains("slf4j-api"));
        Path main = folder.resolve("main");
        compile(PROJECT.resolve("main"), main, "--module-path", product);
        copy(PROJECT.resolve("main", "resources"), main, _ -> true);

        // Of the tests of this module, the test-jar has the suite alone. ContractRun stands in for Maven's runner.
        Path suite = folder.resolve("suite");
        Path tests = Path.of(ContractRun.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        copy(tests, suite, file -> file.startsWith(CONTRACT) || file.startsWith(RUNNER));
        String libraries = entries(entry -> entry.endsWith(".jar") && !entry.contains("archunit") && !entry.contains("slf4j-api"));
        String classPath = String.join(File.pathSeparator, main.toString(), product, suite.toString(), libraries);
        Path test = folder.resolve("test");
        compile(PROJECT.resolve("test"), test, "--class-path", classPath);

        String said = run(folder.resolve("output"), test + File.pathSeparator + classPath, "example.loopback.LoopbackContractTest");
        Matcher counts = COUNTS.matcher(said);
        assertTrue(counts.find(), said);
        assertTrue(Integer.parseInt(counts.group(1)) >= LEAST_PASSED, said);
        said.lines().filter(line -> line.startsWith("skipped ")).forEach(System.out::println);
        System.out.println(counts.group());
    }

    private static String run(Path output, String classPath, String test) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-Dproofs=" + Boolean.getBoolean("proofs"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-classpath", classPath, ContractRun.class.getName(), test)
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), () -> "the suite still runs; it said: " + read(output));
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> read(output));
        return read(output);
    }

    private static void compile(Path sources, Path classes, String... path) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("--release", "22", "-Xlint:all,-exports", "-Werror", "-proc:none", "-d", classes.toString()));
        arguments.addAll(List.of(path));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, messages, messages, arguments.toArray(String[]::new));
        assertEquals(0, result, messages::toString);
    }

    private static void copy(Path from, Path to, Predicate<String> names) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = from.relativize(file).toString().replace(File.separatorChar, '/');
                if (names.test(name)) {
                    Path target = to.resolve(name);
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target);
                }
            }
        }
    }

    /** The entries of this test's class path that fit. */
    private static String entries(Predicate<String> fits) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).filter(fits)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "nothing: " + e;
        }
    }
}

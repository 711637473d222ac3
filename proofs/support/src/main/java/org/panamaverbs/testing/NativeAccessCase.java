package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program whose JVM denies native access learns the option that allows it. */
public abstract class NativeAccessCase {
    private static final Pattern ADVICE = Pattern.compile("native access is denied: start Java with (--enable-native-access=[\\w.,-]+)");
    /** Of the test's class path: our modules and slf4j. */
    private static final String OURS = Arrays
            .stream(System.getProperty("java.class.path").split(File.pathSeparator)).filter(entry -> entry.endsWith("/target/classes")
                    || entry.matches(".*/panama-verbs[^/]*(?<!-tests)\\.jar") || entry.contains("/slf4j-"))
            .collect(Collectors.joining(File.pathSeparator));
    private static final String SOURCE = """
            import org.panamaverbs.*;
            public class Opening {
                public static void main(String[] arguments) {
                    for (int i = 0; i < 2; i++) {
                        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", arguments[0]).build())) {
                            System.out.println("opened " + verbs);
                        } catch (VerbsException e) {
                            System.out.println("failed: " + e.getMessage());
                        }
                    }
                }
            }
            """;

    private final String provider;
    private final String module;

    @TempDir
    private Path folder;
    private Path source;

    /**
     * Of a provider.
     *
     * @param provider its name
     * @param module   its module
     */
    protected NativeAccessCase(String provider, String module) {
        this.provider = provider;
        this.module = module;
    }

    @BeforeEach
    void writeProgram() throws IOException {
        source = Files.writeString(folder.resolve("Opening.java"), SOURCE);
    }

    @Test
    void shouldAdviseAnOptionThatSufficesOnTheModulePath() throws IOException, InterruptedException {
        shouldAdviseAnOptionThatSuffices("--module-path", OURS, "--add-modules", module);
    }

    @Test
    void shouldAdviseAnOptionThatSufficesOnTheClassPath() throws IOException, InterruptedException {
        shouldAdviseAnOptionThatSuffices("--class-path", OURS);
    }

    private void shouldAdviseAnOptionThatSuffices(String... path) throws IOException, InterruptedException {
        String denied = run("--enable-native-access=java.base", path);
        Matcher advice = ADVICE.matcher(denied);
        assertTrue(advice.find() && advice.find(), "each attempt to open should advise it: " + denied);
        String said = run(advice.group(1), path);
        assertFalse(said.contains("native access"), said);
        assertFalse(said.contains("WARNING"), said);
    }

    private String run(String option, String... path) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), option));
        if (Runtime.version().feature() >= 24) {
            // Before, naming one module denies it to the others.
            command.add("--illegal-native-access=deny");
        }
        command.addAll(List.of(path));
        command.addAll(List.of(source.toString(), provider));
        Path output = folder.resolve("output");
        return Program.finished(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
    }
}

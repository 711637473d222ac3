package org.panamaverbs.rdmacore.ffi;

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
import org.panamaverbs.testing.Program;

/** A program on the module path whose JVM denies native access learns the option that allows it. */
class LibrariesTest {
    private static final Pattern ADVICE = Pattern.compile("native access is denied: start Java with (--enable-native-access=[\\w.,-]+)");
    private static final String SOURCE = """
            import org.panamaverbs.*;
            public class Opening {
                public static void main(String[] arguments) {
                    try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").build())) {
                        System.out.println("opened " + verbs);
                    } catch (VerbsException e) {
                        System.out.println("failed: " + e.getMessage());
                    }
                }
            }
            """;

    @TempDir
    private Path folder;
    private Path source;

    @BeforeEach
    void writeProgram() throws IOException {
        source = Files.writeString(folder.resolve("Opening.java"), SOURCE);
    }

    private String run(String... options) throws IOException, InterruptedException {
        String modules = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith("/target/classes") || entry.matches(".*/panama-verbs[^/]*(?<!-tests)\\.jar")
                        || entry.contains("/slf4j-"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        if (Runtime.version().feature() >= 24) {
            // Before, naming one module denies it to the others.
            command.add("--illegal-native-access=deny");
        }
        command.addAll(List.of("--module-path", modules, "--add-modules", "org.panamaverbs.rdmacore", source.toString()));
        Path output = folder.resolve("output");
        return Program.finished(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
    }

    @Test
    void shouldAdviseAnOptionThatSuffices() throws IOException, InterruptedException {
        Matcher advice = ADVICE.matcher(run("--enable-native-access=org.panamaverbs"));
        assertTrue(advice.find(), () -> Program.said(folder.resolve("output")));
        String said = run(advice.group(1));
        assertFalse(said.contains("native access"), said);
        assertFalse(said.contains("WARNING"), said);
    }
}

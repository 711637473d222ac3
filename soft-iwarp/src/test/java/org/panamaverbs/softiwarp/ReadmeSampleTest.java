package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Program;

/** The README's program compiles, and does what it says, on every transport. */
class ReadmeSampleTest {
    private static final String NATIVE_MODULES = "org.panamaverbs,org.panamaverbs.bindings,org.panamaverbs.posix";

    @ParameterizedTest
    @ValueSource(strings = { "epoll", "nio", "memory" })
    void shouldRunTheProgramOfTheReadme(String transport, @TempDir Path folder) throws Exception {
        Path source = folder.resolve("Sample.java");
        Files.writeString(source, program());
        Path output = folder.resolve("output");
        Process process = Program.compile(source, folder).start(transport, output);
        String said = Program.finished(process, output);
        assertTrue(said.contains("received: hello from soft-iwarp0"), said);
    }

    /** As a module of its own, with our modules and slf4j on the module path, and native access for those that the README names. */
    @Test
    void shouldRunTheProgramOfTheReadmeAsAModule(@TempDir Path folder) throws Exception {
        Path sources = Files.createDirectories(folder.resolve("sources").resolve("sample"));
        Path source = sources.resolve("Sample.java");
        Files.writeString(source, "package sample;\n\n" + program());
        Path descriptor = folder.resolve("sources").resolve("module-info.java");
        Files.writeString(descriptor, "module sample {\n    requires org.panamaverbs;\n}\n");
        String modules = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith("/target/classes") || entry.matches(".*/panama-verbs[^/]*(?<!-tests)\\.jar")
                        || entry.contains("/slf4j-"))
                .collect(Collectors.joining(File.pathSeparator));
        Path classes = folder.resolve("classes");
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, messages, messages, "-Xlint:all", "-Werror", "-proc:none",
                "--module-path", modules, "-d", classes.toString(), descriptor.toString(), source.toString());
        assertEquals(0, result, messages::toString);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=" + NATIVE_MODULES, "-Dpanamaverbs.provider=soft-iwarp", "--module-path",
                modules + File.pathSeparator + classes, "--module", "sample/sample.Sample")
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        String said = Program.finished(process, output);
        assertTrue(said.contains("received: hello from soft-iwarp0"), said);
        assertFalse(said.contains("WARNING"), said);
    }

    private static String program() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        String opening = "```java\n";
        int start = readme.indexOf(opening) + opening.length();
        return readme.substring(start, readme.indexOf("\n```", start));
    }
}

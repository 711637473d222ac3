package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The README's program compiles, and does what it says, on every transport. */
class ReadmeSampleTest {
    @ParameterizedTest
    @ValueSource(strings = { "epoll", "nio", "memory" })
    void shouldRunTheProgramOfTheReadme(String transport, @TempDir Path folder) throws Exception {
        Path source = folder.resolve("Sample.java");
        Files.writeString(source, program());
        String classPath = System.getProperty("java.class.path");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = compiler.run(null, messages, messages, "-Xlint:all", "-Werror", "-proc:none", "-cp", classPath, "-d",
                folder.toString(), source.toString());
        assertEquals(0, result, messages::toString);

        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dpanamaverbs.softiwarp.transport=" + transport, "-cp",
                classPath + System.getProperty("path.separator") + folder, "Sample")).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(50, TimeUnit.SECONDS), () -> "still running: " + read(output));
        assertEquals(0, process.exitValue(), () -> read(output));
        assertTrue(read(output).contains("received: hello from soft-iwarp0"), () -> read(output));
    }

    private static String program() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        String opening = "```java\n";
        int start = readme.indexOf(opening) + opening.length();
        return readme.substring(start, readme.indexOf("\n```", start));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}

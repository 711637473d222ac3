package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Path output = folder.resolve("output");
        Process process = Program.compile(source, folder).start(transport, output);
        String said = Program.finished(process, output);
        assertTrue(said.contains("received: hello from soft-iwarp0"), said);
    }

    private static String program() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        String opening = "```java\n";
        int start = readme.indexOf(opening) + opening.length();
        return readme.substring(start, readme.indexOf("\n```", start));
    }
}

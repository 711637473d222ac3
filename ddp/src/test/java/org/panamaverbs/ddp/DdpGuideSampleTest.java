package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Program;

/** The program of docs/ddp.md compiles, and does what it says. */
@Timeout(120)
class DdpGuideSampleTest {
    @ParameterizedTest
    @ValueSource(strings = { "MPA", "TCP" })
    void shouldRunTheProgramOfTheGuide(String transport, @TempDir Path folder) throws Exception {
        Path source = folder.resolve("Placement.java");
        Files.writeString(source, program());
        Path output = folder.resolve("output");
        Process process = Program.compile(source, folder).start("auto", output, transport);
        String said = Program.finished(process, output);
        assertTrue(said.contains("notification 7: placed by " + transport), said);
    }

    private static String program() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "ddp.md"));
        String opening = "```java\n";
        int start = guide.indexOf(opening) + opening.length();
        return guide.substring(start, guide.indexOf("\n```", start));
    }
}

package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program of docs/rpc-over-rdma.md compiles, and does what the page says. */
class GuideSampleTest {
    @ParameterizedTest
    @ValueSource(strings = { "rdma", "tcp" })
    void shouldRunTheProgramOfTheGuide(String transport, @TempDir Path folder) throws Exception {
        Path source = folder.resolve("Reading.java");
        String guide = Files.readString(Path.of("..", "docs", "rpc-over-rdma.md"));
        int start = guide.indexOf("```java\n") + 8;
        Files.writeString(source, guide.substring(start, guide.indexOf("\n```", start)));
        String path = System.getProperty("java.class.path");
        assertEquals(0,
                ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), "-cp", path, source.toString()));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dpanamaverbs.provider=soft-iwarp", "-cp", folder + File.pathSeparator + path,
                "Reading",
                transport).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), () -> "it does not end");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertTrue(said.contains("1048576 bytes of 'x'"), said);
        assertEquals(0, process.exitValue(), said);
    }
}

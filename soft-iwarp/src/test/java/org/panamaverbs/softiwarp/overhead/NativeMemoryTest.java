package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.Transports;

/**
 * The native memory of connections goes back when they end, without the collector ({@link ManyConnections}).
 *
 * <pre>
 * -Dnative.connections=N   one after another over each transport; 100 if nothing is said
 * </pre>
 */
class NativeMemoryTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @Transports({ "epoll", "auto", "nio" })
    @EnabledOnOs(OS.LINUX)
    void shouldGoBackWithoutTheCollector(String transport) throws Exception {
        Path output = folder.resolve("output");
        // The limit of the JDK, which connections do not use.
        Process process = new ProcessBuilder(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                        "-XX:+DisableExplicitGC", "-XX:MaxDirectMemorySize=64k", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
                        ManyConnections.class.getName(), transport, System.getProperty("native.connections", "100")))
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(Math.max(180, Integer.getInteger("native.connections", 0) / 50), TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, process.exitValue(), said);
        assertTrue(said.contains("all is back"), said);
    }
}

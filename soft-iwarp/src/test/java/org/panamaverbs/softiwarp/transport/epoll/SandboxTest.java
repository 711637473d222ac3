package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection in a sandbox whose rules are older than a system call ({@link Sandboxed}); the numbers of calls are those of x86_64. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class SandboxTest {
    private static final String EPERM = "1";
    private static final String ENOSYS = "38";
    private static final String EACCES = "13";
    private static final String EAFNOSUPPORT = "97";

    @TempDir
    Path folder;

    private String run(String transport, String error, String calls) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>();
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info", "-cp",
                System.getProperty("java.class.path"), Sandboxed.class.getName(), transport, error));
        command.addAll(List.of(calls.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, process.exitValue(), said);
        assumeFalse(said.contains("no filter"), "the kernel takes no filter");
        assertTrue(said.contains("survived"), said);
        return said;
    }

    /** epoll_pwait2 (441). */
    @ParameterizedTest
    @CsvSource({ "epoll," + EPERM, "epoll," + ENOSYS, "epoll," + EACCES, "auto," + EPERM })
    void shouldWaitWithoutTheNewerCall(String transport, String error) throws Exception {
        assertEquals(List.of("survived"), complaints(run(transport, error, "441")));
    }

    /** All lines but those that say at the start which transport there is. */
    private static List<String> complaints(String said) {
        return said.lines().filter(line -> !line.contains(" INFO org.panamaverbs.Verbs - provider soft-iwarp: chosen by ")).toList();
    }

    /** memfd_create (319), and socket (41) for Unix sockets alone. */
    @ParameterizedTest
    @CsvSource({ EPERM + ",319", ENOSYS + ",319 441", EAFNOSUPPORT + ",41" })
    void shouldTakeTcpWithoutSharedMemory(String error, String calls) throws Exception {
        String said = run("auto", error, calls);
        assertEquals(List.of("survived"), complaints(said));
        assertTrue(said.contains("transport epoll: no shared memory: "), said);
    }
}

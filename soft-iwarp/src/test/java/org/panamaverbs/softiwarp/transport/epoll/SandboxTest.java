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
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Proofs;

/** A connection in a sandbox whose rules are older than a system call ({@link Sandboxed}); the numbers of calls are those of x86_64. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class SandboxTest {
    private static final String EPERM = "1";
    private static final String ENOSYS = "38";
    private static final String EACCES = "13";
    private static final String EAFNOSUPPORT = "97";

    @TempDir
    Path folder;

    /** The rules are a transport, the error, and the numbers of the calls that fail. */
    private String run(String rules) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>();
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info", "-cp",
                System.getProperty("java.class.path"), Sandboxed.class.getName()));
        command.addAll(List.of(rules.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), "still running");
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
    static List<String> withoutTheNewerCall() {
        return Proofs.cases("epoll " + EPERM + " 441", "epoll " + ENOSYS + " 441", "epoll " + EACCES + " 441", "auto " + EPERM + " 441");
    }

    @ParameterizedTest
    @MethodSource("withoutTheNewerCall")
    void shouldWaitWithoutTheNewerCall(String rules) throws Exception {
        assertEquals(List.of("survived"), complaints(run(rules)));
    }

    /** All lines but those that say at the start which transport there is. */
    private static List<String> complaints(String said) {
        return said.lines().filter(line -> !line.contains(" INFO org.panamaverbs.Verbs - provider soft-iwarp: chosen by ")).toList();
    }

    /** memfd_create (319), and socket (41) for Unix sockets alone. */
    static List<String> withoutSharedMemory() {
        return Proofs.cases("auto " + ENOSYS + " 319 441", "auto " + EPERM + " 319", "auto " + EAFNOSUPPORT + " 41");
    }

    @ParameterizedTest
    @MethodSource("withoutSharedMemory")
    void shouldTakeTcpWithoutSharedMemory(String rules) throws Exception {
        String said = run(rules);
        assertEquals(List.of("survived"), complaints(said));
        assertTrue(said.contains("transport epoll: no shared memory: "), said);
    }
}

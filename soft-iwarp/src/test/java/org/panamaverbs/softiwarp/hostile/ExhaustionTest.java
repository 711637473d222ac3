package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** A process without descriptors or memory: its peers wait or are refused, its other connections go on, and it recovers. */
class ExhaustionTest {
    private static final int DESCRIPTORS = 200;

    @TempDir
    Path folder;

    private String run(List<String> shell, List<String> options, String... arguments) throws Exception {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(shell);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Exhausted.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), () -> "still running: " + said(output));
        } finally {
            process.destroyForcibly();
        }
        assertEquals(0, process.exitValue(), () -> said(output));
        assertTrue(said(output).contains("survived"), () -> said(output));
        return said(output);
    }

    private static String said(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static long count(String text, String line) {
        return text.lines().filter(each -> each.contains(line)).count();
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @EnabledOnOs(OS.LINUX)
    void shouldServePeersOnceThereAreDescriptorsAgain(String transport) throws Exception {
        long begin = System.nanoTime();
        String said = runWithoutDescriptors(transport, "descriptors");
        long periods = 1 + (System.nanoTime() - begin) / 10_000_000_000L;
        long lines = count(said, "cannot accept peers");
        // Of ten attempts in a second, at most 10 lines in 10 s.
        assertTrue(lines >= 1 && lines <= 10 * periods, said);
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @EnabledOnOs(OS.LINUX)
    @Tag(Proofs.TAG)
    void shouldNotSpinWithoutDescriptors(String transport) throws Exception {
        runWithoutDescriptors(transport, "processor");
    }

    private String runWithoutDescriptors(String transport, String measured) throws Exception {
        return run(List.of("bash", "-c", "ulimit -n " + DESCRIPTORS + " && exec \"$@\"", "bash"), List.of(), transport, measured,
                Files.createFile(folder.resolve("file")).toString());
    }

    @ParameterizedTest
    @Transports({ "auto", "epoll", "nio" })
    @EnabledOnOs(OS.LINUX)
    void shouldServePeersWhileTheProgramHasUsedUpItsDirectMemory(String transport) throws Exception {
        String said = run(List.of(), List.of("-XX:MaxDirectMemorySize=4m", "-XX:+DisableExplicitGC"), transport, "memory");
        assertTrue(said.contains("hoarded"), said);
    }
}

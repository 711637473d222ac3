package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An arena is held in a JVM whose options make a first call take more of the stack than usual, or leave less of it. */
class JvmOptionsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "-Xcomp -XX:TieredStopAtLevel=1", "-Xint", "-Xss256k", "-Xcheck:jni" })
    void shouldHoldAnArena(String options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options.split(" ")));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Holder.class.getName()));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(180, TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, process.exitValue(), said);
        assertTrue(said.contains("held"), said);
    }

    /** The program: holds an arena, and finds that it cannot be closed. */
    static final class Holder {
        private Holder() {
        }

        public static void main(String[] arguments) {
            Arena arena = Arena.ofShared();
            ArenaHold hold = ArenaHold.of(arena.allocate(1));
            try {
                arena.close();
            } catch (IllegalStateException e) {
                System.out.println("held");
            }
            hold.release();
            arena.close();
        }
    }
}

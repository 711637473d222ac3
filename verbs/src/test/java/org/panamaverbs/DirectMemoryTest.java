package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of a program that counts against the JDK's limit of direct memory: laptop-to-cluster.md says it. */
class DirectMemoryTest {
    private static final long LENGTH = 64 << 20;
    private static final String LIMIT = "-XX:MaxDirectMemorySize=16m";

    @TempDir
    Path folder;

    /** A program with that limit. */
    static final class Program {
        private Program() {
        }

        /**
         * Allocates more than the limit in each way.
         *
         * @param arguments a file that is not there
         */
        public static void main(String[] arguments) throws IOException {
            try (RegistrableArena arena = RegistrableArena.ofShared();
                    FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                            StandardOpenOption.WRITE)) {
                System.out.println("registrable: " + allocates(arena));
                System.out.println("automatic: " + allocates(Arena.ofAuto()));
                MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
                mapped.set(ValueLayout.JAVA_BYTE, LENGTH - 1, (byte) 7);
                System.out.println("mapped: true");
            }
        }

        private static boolean allocates(Arena arena) {
            try {
                return arena.allocate(LENGTH, 8).byteSize() == LENGTH;
            } catch (OutOfMemoryError refused) {
                return false;
            }
        }
    }

    @Test
    void shouldNotCountMemoryOfRegistrableArenasAndMappedFiles() throws Exception {
        Path output = folder.resolve("output");
        // A JVM says there which options of the environment it has picked up.
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), LIMIT, "-cp",
                System.getProperty("java.class.path"), Program.class.getName(), folder.resolve("file").toString()))
                .redirectError(errors.toFile()).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), "still running");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(List.of("registrable: true", "automatic: false", "mapped: true"), Files.readAllLines(output),
                Files.readString(errors));
    }
}

package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a class of the tests in a JVM of its own, with options that a test cannot set for itself. */
public final class ChildJvm {
    private static final long LIMIT_SECONDS = 180;

    private ChildJvm() {
    }

    /** The options of a JVM with one carrier, which {@link BusyCarriers} occupies. */
    public static final List<String> ONE_CARRIER = List.of("-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    /**
     * Runs a program over soft-iwarp; it must end in 180 seconds, with status 0.
     *
     * @param transport of soft-iwarp
     * @param options   of the JVM
     * @return what it wrote
     */
    public static String run(Class<?> program, String transport, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        return run(List.of(), program, transport, options, arguments);
    }

    /** As the other, in a process that has so many file descriptors at most. */
    public static String runWithDescriptors(int most, Class<?> program, String transport) throws IOException, InterruptedException {
        return run(List.of("sh", "-c", "ulimit -n " + most + "; exec \"$@\"", "sh"), program, transport, List.of("-XX:-MaxFDLimit"));
    }

    /** The command that starts a program over soft-iwarp. */
    static List<String> command(Class<?> program, String transport, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                        "-Dpanamaverbs.provider=soft-iwarp", "-Dpanamaverbs.softiwarp.transport=" + transport));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    private static String run(List<String> start, Class<?> program, String transport, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(start);
        command.addAll(command(program, transport, options, arguments));
        Path output = Files.createTempFile("child-jvm", ".txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String said = Files.readString(output);
            assertTrue(ended, () -> program.getName() + " does not end; it wrote: " + said);
            assertTrue(process.exitValue() == 0, () -> program.getName() + " has failed; it wrote: " + said);
            return said;
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(output);
        }
    }
}

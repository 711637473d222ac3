package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;

/** A program of the documentation, compiled, and run in a process of its own as often as one likes. */
public final class Program {
    private final String name;
    private final Path folder;

    private Program(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    /** Compiles sources for the oldest JDK into a folder; a warning is an error. A module of tests alone lacks a folder of its class path. */
    public static void compile(List<Path> sources, Path folder) {
        List<String> arguments = new ArrayList<>(
                List.of("-Xlint:all,-path", "-Werror", "-proc:none", "--release", "22", "-cp", classPath(), "-d", folder.toString()));
        sources.forEach(source -> arguments.add(source.toString()));
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, messages, messages, arguments.toArray(String[]::new));
        assertEquals(0, result, messages::toString);
    }

    /** The same with the source of a program. */
    public static Program compile(Path source, Path folder) {
        compile(List.of(source), folder);
        return new Program(source.getFileName().toString().replace(".java", ""), folder);
    }

    /** Starts it over a transport of soft-iwarp; its output is for {@link #said}. */
    public Process start(String transport, Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dpanamaverbs.provider=soft-iwarp", "-Dpanamaverbs.softiwarp.transport=" + transport,
                "-cp", classPath() + System.getProperty("path.separator") + folder, name));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    /** Waits for its end, which must be a good one. */
    public static String finished(Process process, Path output) throws InterruptedException {
        assertTrue(process.waitFor(180, TimeUnit.SECONDS), () -> "still running: " + said(output));
        assertEquals(0, process.exitValue(), () -> said(output));
        return said(output);
    }

    public static String said(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }
}

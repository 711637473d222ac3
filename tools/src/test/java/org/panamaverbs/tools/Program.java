package org.panamaverbs.tools;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/** pverbs as its user runs it: within this process, or as one of its own. */
public final class Program {
    private Program() {
    }

    /** The output of a command, and its exit status. */
    public record Outcome(int status, String out, String errors) {
    }

    public static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        CommandLine commandLine = Pverbs.commandLine(new PrintStream(errors, true, StandardCharsets.UTF_8), arguments);
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(out));
        int status = commandLine.execute(arguments);
        return new Outcome(status, out.toString(), errors.toString(StandardCharsets.UTF_8));
    }

    /** The same with what is behind standard output. */
    public static Outcome runInto(OutputStream output, String... arguments) {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = Pverbs.execute(output, new PrintStream(errors, true, StandardCharsets.UTF_8), arguments);
        return new Outcome(status, "", errors.toString(StandardCharsets.UTF_8));
    }

    /** All commands in this process, for a test that ends one itself; errors go to this process's. */
    public static CommandLine commandLine() {
        return Pverbs.commandLine(System.err);
    }

    /** Starts it as a process of its own. */
    public static Process start(String... arguments) throws IOException {
        return startBehind(List.of(), arguments);
    }

    /** The same, behind the words of another program that runs it, for example in a network namespace; the process stays the same. */
    public static Process startBehind(List<String> words, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(words);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // It lives for seconds: the second compiler would take more time than it saves.
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-classpath",
                System.getProperty("java.class.path"), Pverbs.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** SIGSTOP; a process that is stopped is still killed by {@link Process#destroyForcibly}. */
    public static void freeze(Process process) throws IOException, InterruptedException {
        signal(process, "-STOP");
    }

    private static void signal(Process process, String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
        if (status != 0) {
            throw new IOException("kill " + signal + ": " + status);
        }
    }

    /** A command that listens, in a process of its own. */
    public static final class Server implements AutoCloseable {
        private final Process process;
        private final String address;
        private final StringBuffer said = new StringBuffer();

        public Server(String... arguments) throws IOException {
            this(List.of(), arguments);
        }

        /** As {@link Program#startBehind}. */
        public Server(List<String> words, String... arguments) throws IOException {
            process = startBehind(words, arguments);
            BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
            String line = lines.readLine();
            if (line == null || !line.contains("listening on ")) {
                process.destroyForcibly();
                throw new IOException("it does not listen: " + line);
            }
            address = line.substring(line.indexOf("listening on ") + "listening on ".length());
            Thread.ofVirtual().start(() -> {
                try {
                    lines.lines().forEach(each -> said.append(each).append('\n'));
                } catch (UncheckedIOException e) {
                    // It was killed.
                }
            });
        }

        public String address() {
            return address;
        }

        public int port() {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }

        public long pid() {
            return process.pid();
        }

        /** Waits for a line with some words. */
        public String await(String words) throws InterruptedException {
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!said().contains(words) && System.nanoTime() < patience) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            return said().lines().filter(line -> line.contains(words)).findFirst().orElseGet(() -> "it has said: " + said());
        }

        /** Stops it, as a peer that hangs: its connections stay. */
        public void freeze() throws IOException, InterruptedException {
            Program.freeze(process);
        }

        public String said() {
            return said.toString();
        }

        /** SIGTERM, as Ctrl-C would. */
        public void end() throws IOException, InterruptedException {
            signal(process, "-TERM");
            process.waitFor(180, TimeUnit.SECONDS);
        }

        public void kill() throws InterruptedException {
            process.destroyForcibly().waitFor(180, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}

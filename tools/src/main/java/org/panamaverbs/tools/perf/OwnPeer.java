package org.panamaverbs.tools.perf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Service;

/** A second process of this program that listens on loopback; it ends with this one. */
final class OwnPeer implements AutoCloseable {
    /** A JVM starts in one second; on a machine that is busy otherwise, in some. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final HostPort address;

    OwnPeer(Class<?> main, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Options that tune this JVM tune the other; agents, debuggers and recordings stay here.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(argument -> !argument.startsWith("-agent")
                && !argument.startsWith("-javaagent") && !argument.contains("StartFlightRecording") && !argument.contains("AOTCacheOutput"))
                .forEach(command::add);
        command.addAll(List.of("-classpath", System.getProperty("java.class.path"), main.getName(), "perf", "--listen", "127.0.0.1:0",
                "--until-input-ends", "--allow-spin", "--max-memory=" + Long.MAX_VALUE));
        command.addAll(options);
        try {
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
            String line = firstLine(lines);
            if (line == null || !line.startsWith(Service.LISTENING)) {
                process.destroyForcibly();
                throw new Failure("the second process did not start to listen" + (line == null ? "" : ": " + line));
            }
            address = HostPort.parse(line.substring(Service.LISTENING.length()).strip(), 0);
            // Its further output must not fill the pipe.
            Thread.ofVirtual().start(() -> lines.lines().forEach(ignored -> {
            }));
        } catch (IOException e) {
            throw new UncheckedIOException("the second process could not be started: " + e.getMessage(), e);
        }
    }

    private String firstLine(BufferedReader lines) {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                line.complete(lines.readLine());
            } catch (IOException | RuntimeException e) {
                line.completeExceptionally(e);
            }
        });
        try {
            return line.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw new Failure(Failure.Kind.TIMEOUT, "the second process has not begun to listen after " + START_TIMEOUT.toSeconds()
                    + " s: see whether this machine is overloaded, or start pverbs perf --listen yourself", e);
        } catch (ExecutionException e) {
            process.destroyForcibly();
            throw new Failure("the second process could not be read: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new Failure("interrupted", e);
        }
    }

    HostPort address() {
        return address;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

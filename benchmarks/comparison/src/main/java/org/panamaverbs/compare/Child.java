package org.panamaverbs.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process that we started. It has a time limit, and when it is closed it is gone, with all that it started itself. */
final class Child implements AutoCloseable {
    private static final Set<Child> LIVE = ConcurrentHashMap.newKeySet();
    private static final String TIMEOUT = Programs.find("timeout");
    private static final int LONGEST_REASON = 300;
    private static volatile boolean stopped;

    private final String name;
    private final Process process;
    private final Duration limit;
    private final StringBuffer out = new StringBuffer();
    private final StringBuffer errors = new StringBuffer();
    private final CompletableFuture<String> port = new CompletableFuture<>();
    private final List<Thread> readers;

    /**
     * Starts it.
     *
     * @param name  in messages
     * @param limit how long it may run
     */
    Child(String name, List<String> command, Map<String, String> environment, Duration limit) throws ProgramException {
        this.name = name;
        this.limit = limit;
        List<String> limited = new ArrayList<>();
        if (TIMEOUT != null) {
            // It ends even if we are killed in a way that nobody can notice.
            limited.addAll(List.of(TIMEOUT, "-k", "1", Long.toString(limit.toSeconds() + 2)));
        }
        limited.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(limited);
        builder.environment().putAll(environment);
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new ProgramException(name + " could not be started: " + e.getMessage(), e);
        }
        LIVE.add(this);
        readers = List.of(read(process.inputReader(StandardCharsets.UTF_8), out, true),
                read(process.errorReader(StandardCharsets.UTF_8), errors, false));
        if (stopped) {
            close();
            throw new ProgramException(name + " was not started: the comparison ends");
        }
    }

    private Thread read(BufferedReader from, StringBuffer into, boolean announces) {
        return Thread.ofVirtual().start(() -> {
            try (from) {
                for (String line = from.readLine(); line != null; line = from.readLine()) {
                    into.append(line).append('\n');
                    if (announces && line.startsWith(Programs.LISTENING)) {
                        port.complete(line.substring(Programs.LISTENING.length()).strip());
                    }
                }
            } catch (IOException | UncheckedIOException e) {
                // It was killed.
            }
            if (announces) {
                port.completeExceptionally(new IOException("it ended"));
            }
        });
    }

    /** The port on which it says that it listens. */
    String awaitPort() throws ProgramException, InterruptedException {
        try {
            return port.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new ProgramException(name + " did not begin to listen" + reason(), e);
        } catch (TimeoutException e) {
            throw new ProgramException(name + " did not begin to listen within " + limit.toSeconds() + " s", e);
        }
    }

    /**
     * Waits for its end.
     *
     * @return its standard output
     * @throws ProgramException if it failed, died, or took too long
     */
    String awaitOutput() throws ProgramException, InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new ProgramException(name + " did not end within " + limit.toSeconds() + " s");
        }
        for (Thread reader : readers) {
            // Children of its own that outlive it hold the streams open.
            reader.join(Duration.ofSeconds(60));
        }
        int status = process.exitValue();
        if (status != 0) {
            String how = status > 128 ? " was ended by signal " + (status - 128) : " failed with status " + status;
            throw new ProgramException(name + how + reason());
        }
        return out.toString();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its last words on standard error, or else on standard output: in one line. */
    private String reason() {
        String said = errors.isEmpty() ? out.toString() : errors.toString();
        String last = said.lines().filter(line -> !line.isBlank()).reduce((first, second) -> second).orElse("").strip();
        return last.isEmpty() ? "" : ": " + last.substring(0, Math.min(last.length(), LONGEST_REASON));
    }

    boolean said(String text) {
        return errors.indexOf(text) >= 0 || out.indexOf(text) >= 0;
    }

    @Override
    public void close() {
        // First the process that might start others.
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        LIVE.remove(this);
    }

    /** Whether somebody has asked for the end of all. */
    static boolean areStopped() {
        return stopped;
    }

    /** Ends all there are; none starts from now on. */
    static void stopAll() {
        stopped = true;
        LIVE.forEach(Child::close);
    }
}

package org.panamaverbs.softiwarp.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link FaultEnd} in a process of its own, in a network namespace. */
final class EndProcess {
    private static final long GRACE_MILLIS = 60_000;

    private final Process process;
    private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();

    EndProcess(Place place, boolean client, Path log, StartImage image) throws IOException {
        List<String> command = new ArrayList<>(List.of(place.within(client ? 0 : 1)));
        command.addAll(image.command());
        command.addAll(List.of(client ? "client" : "server", place.address(1)));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // It was killed.
        }
        answers.add("gone");
    }

    /** Sends a command, and does not wait for the answer. */
    void send(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("an end is gone before " + command, e);
        }
    }

    /** The answer to the oldest command without one. */
    String answer(long millis) throws InterruptedException {
        String answer = answers.poll(millis + GRACE_MILLIS, TimeUnit.MILLISECONDS);
        return answer == null ? "silent for " + (millis + GRACE_MILLIS) + " ms" : answer;
    }

    String ask(String command) throws InterruptedException {
        send(command);
        return answer(0);
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Stops the process, or lets it continue. */
    void stop(boolean stopped) throws IOException, InterruptedException {
        new ProcessBuilder("kill", stopped ? "-STOP" : "-CONT", Long.toString(process.pid())).inheritIO().start().waitFor();
    }
}

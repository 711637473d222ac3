package org.panamaverbs.tools.nfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.tools.Program;
import picocli.CommandLine;

/** {@code pverbs nfs serve} in this process, until it is closed. */
final class Listening implements AutoCloseable {
    private static final String MARK = "listening on ";

    private final CommandLine commandLine = Program.commandLine();
    private final BufferedReader lines;
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final String line;

    Listening(String... arguments) throws IOException {
        PipedWriter out = new PipedWriter();
        lines = new BufferedReader(new PipedReader(out));
        commandLine.setOut(new PrintWriter(out));
        Thread.ofPlatform().daemon().start(() -> {
            // The end of the stream ends a wait for a line.
            try (out) {
                status.complete(commandLine.execute(arguments));
            } catch (IOException | RuntimeException e) {
                status.completeExceptionally(e);
            }
        });
        line = lines.readLine();
        if (line == null || !line.contains(MARK)) {
            throw new IOException("it does not listen: " + line + ", and ends with " + status.join());
        }
    }

    /** Its first line. */
    String line() {
        return line;
    }

    /** Its next line. */
    String next() throws IOException {
        return lines.readLine();
    }

    int port() {
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
    }

    String url(String path) {
        return "nfs://" + line.substring(line.indexOf(MARK) + MARK.length()) + "/" + path;
    }

    @Override
    public void close() throws IOException {
        NfsServeCommand serve = commandLine.getSubcommands().get("nfs").getSubcommands().get("serve").getCommand();
        serve.end();
        int ended = status.orTimeout(180, TimeUnit.SECONDS).join();
        if (ended != 0) {
            throw new IOException("it ended with " + ended);
        }
    }
}

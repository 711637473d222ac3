package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Servers whose heap is full for a while: they serve again once it is not. Both sides of such a test. */
public final class FullHeap {
    private static final long FULL_NANOS = 5_000_000_000L;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final int ROUNDS = Integer.getInteger("heap.rounds", 1);
    private static final String PORT = "port ";
    private static final int SMALLEST = 16;

    private FullHeap() {
    }

    /** A client of the server. */
    public interface Client {
        /**
         * Connects, sends a byte, and gets it back.
         *
         * @param port of the server on the loopback interface
         * @throws IOException if the server does not do its part within some seconds
         */
        void echo(int port) throws IOException;
    }

    /**
     * For the server's program, once it listens: fills the heap for some seconds for each line of the standard input, until its end.
     *
     * @param port that the server listens at
     */
    public static void serve(int port) throws IOException {
        System.out.println(PORT + port);
        while (System.in.read() >= 0) {
            fill();
            System.out.println("free");
        }
        System.exit(0);
    }

    private static void fill() {
        Object[] all = null;
        int size = 1 << 18;
        for (long begun = System.nanoTime(); System.nanoTime() - begun < FULL_NANOS;) {
            try {
                Object[] next = new Object[size];
                next[0] = all;
                all = next;
            } catch (OutOfMemoryError e) {
                size = Math.max(SMALLEST, size / 2);
            }
        }
    }

    /**
     * Starts a server with a heap of 32 MiB, and fills its heap while a client connects again and again: afterwards, it serves. Each round
     * has a server of its own, since the first exhaustion is the worst: it meets what was never used before.
     *
     * @param server  a program that ends in {@link #serve}
     * @param options of its JVM, beside the size of the heap
     */
    public static void fillAndServe(Class<?> server, Client client, String... options) throws Exception {
        List<String> command = ChildJvm.command(server, "epoll", Stream.concat(Stream.of("-Xmx32m"), Stream.of(options)).toList());
        Path log = Files.createTempFile("full-heap", ".log");
        for (int round = 1; round <= ROUNDS; round++) {
            Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
            try (BufferedReader output = process.inputReader()) {
                play(process, output, client, log);
            } finally {
                process.destroyForcibly().waitFor();
            }
            System.out.println(server.getName() + ", round " + round + ": served");
        }
        Files.delete(log);
    }

    private static void play(Process process, BufferedReader output, Client client, Path log) throws Exception {
        String first = line(output);
        assertTrue(first != null && first.startsWith(PORT), () -> "the program does not begin: " + text(log));
        int port = Integer.parseInt(first.substring(PORT.length()));
        awaitService(process, client, port, log);
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        CompletableFuture<String> free = CompletableFuture.supplyAsync(() -> line(output));
        while (!free.isDone()) {
            isServed(client, port);
        }
        assertTrue("free".equals(free.get()), () -> "the program has ended: " + text(log));
        awaitService(process, client, port, log);
    }

    private static void awaitService(Process process, Client client, int port, Path log) {
        for (long begun = System.nanoTime();;) {
            try {
                client.echo(port);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - begun > PATIENCE_NANOS) {
                    throw new AssertionError("nobody is served: " + text(log) + threads(process), e);
                }
            }
        }
    }

    private static String threads(Process process) {
        try {
            Process dump = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                    Long.toString(process.pid()), "Thread.print").redirectErrorStream(true).start();
            return new String(dump.getInputStream().readAllBytes());
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean isServed(Client client, int port) {
        try {
            client.echo(port);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String line(BufferedReader output) {
        try {
            return output.readLine();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String text(Path log) {
        try {
            String text = Files.readString(log);
            return text.substring(Math.max(0, text.length() - 10_000));
        } catch (IOException e) {
            return e.toString();
        }
    }
}

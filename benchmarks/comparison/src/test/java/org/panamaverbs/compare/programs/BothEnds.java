package org.panamaverbs.compare.programs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs both ends of a program in this process, for a moment. */
final class BothEnds {
    private static final Pattern LISTENING = Pattern.compile("listening on (\\d+) (\\d+)\\R");
    private static final long LIMIT = 60;

    /** The {@code main} of a program. */
    interface Program {
        void main(String[] arguments) throws Exception;
    }

    private BothEnds() {
    }

    /** What the measuring end printed. */
    static String run(Program program, int size) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                try {
                    program.main(new String[] { "serve", Integer.toString(size) });
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
            Matcher listening = LISTENING.matcher("");
            for (long begin = System.nanoTime(); !listening.find(); listening.reset(printed.toString(StandardCharsets.UTF_8))) {
                assertTrue(!served.isDone() && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(LIMIT), "it does not serve");
                Thread.onSpinWait();
            }
            program.main(new String[] { listening.group(1), Integer.toString(size), "0-0.04", "0.1", listening.group(2) });
            served.get(LIMIT, TimeUnit.SECONDS);
            return printed.toString(StandardCharsets.UTF_8).substring(listening.end()).strip();
        } finally {
            System.setOut(before);
        }
    }

    /** A number of a line of JSON. */
    static double number(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\": ([0-9.]+)").matcher(json);
        assertTrue(found.find(), json);
        return Double.parseDouble(found.group(1));
    }
}

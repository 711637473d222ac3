package org.panamaverbs.ddp;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Counts the lines that are logged, until it is closed. The logger of the tests writes to the standard error stream. */
final class Warnings implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Warnings() {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    long lines() {
        return bytes.toString(StandardCharsets.UTF_8).lines().count();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}

package org.panamaverbs.testing;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Counts what is logged, until it is closed. The logger of the tests writes to the standard error stream. */
public final class Warnings implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Starts counting. */
    public Warnings() {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    public long lines() {
        return bytes.toString(StandardCharsets.UTF_8).lines().count();
    }

    /** A message with an exception has many lines. */
    public long messages() {
        return bytes.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains(" ERROR ") || line.contains(" WARN ")).count();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}

package org.panamaverbs.softiwarp.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.softiwarp.progress.StreamDriver;

/** Takes what is logged while a target runs: a driver that catches an exception logs it, and nothing else shows it after the end. */
final class Complaints implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    Complaints() {
        System.setErr(new PrintStream(text, true, StandardCharsets.UTF_8));
    }

    /** Throws if a driver has logged something. */
    void check() {
        String logged = text.toString(StandardCharsets.UTF_8);
        if (logged.contains(StreamDriver.class.getSimpleName())) {
            throw new AssertionError("a driver caught an exception: " + logged);
        }
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}

package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BarTest {
    private static final long MEBIBYTE = 1 << 20;

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private long nanos;

    private Bar bar(String name) {
        Bar bar = new Bar(name, new PrintStream(terminal, true, StandardCharsets.UTF_8), () -> nanos);
        bar.size(100 * MEBIBYTE);
        return bar;
    }

    private void at(Bar bar, long millis, long mebibytes) {
        nanos = millis * 1_000_000;
        bar.at(mebibytes * MEBIBYTE);
    }

    private String said() {
        return terminal.toString(StandardCharsets.UTF_8);
    }

    /** The lines on the terminal in the end, each as it was written last. */
    private List<String> lines() {
        return Stream.of(said().split("\n")).map(line -> line.substring(line.lastIndexOf('\r') + 1).strip()).toList();
    }

    @Test
    void shouldShowTheRateOfACopyOfHalfASecond() {
        try (Bar bar = bar("name")) {
            at(bar, 0, 0);
            at(bar, 500, 100);
        }
        String last = lines().getLast();
        assertAll(() -> assertTrue(last.contains("100% [") && last.contains("100/100 MiB") && last.endsWith("200.0 MiB/s"), last),
                () -> assertFalse(last.contains("?"), last));
    }

    @Test
    void shouldEndWithTheLastStateInOneLine() {
        try (Bar bar = bar("name")) {
            at(bar, 0, 0);
            at(bar, 999, 99);
            at(bar, 1000, 100);
        }
        assertEquals(1, lines().size(), said());
    }

    @Test
    void shouldBeginWithTheFirstBytesAndNotCountTheWaitForThem() {
        nanos = 60_000_000_000L;
        Bar bar = bar("name");
        nanos = 120_000_000_000L;
        assertEquals("", said());
        at(bar, 180_000, 10);
        at(bar, 181_000, 60);
        bar.close();
        String last = lines().getLast();
        assertTrue(last.contains("60/100 MiB") && last.endsWith("50.0 MiB/s"), last);
    }

    @Test
    void shouldShowNothingIfNoByteComes() {
        bar("name").close();
        assertEquals("", said());
    }

    @Test
    void shouldGiveItsLineToOtherWords() {
        try (Bar bar = bar("name")) {
            at(bar, 0, 0);
            bar.clear();
            assertTrue(said().endsWith(" ".repeat(60) + "\r"), said());
        }
    }

    @Test
    void shouldFitIntoATerminalAndShowNoControls() {
        try (Bar bar = new Bar("\u001B[2J" + "name".repeat(100), new PrintStream(terminal, true, StandardCharsets.UTF_8), () -> nanos)) {
            bar.size(Long.MAX_VALUE);
            at(bar, 0, 0);
            at(bar, 300, 1 << 30);
        }
        assertAll(() -> assertTrue(lines().getFirst().length() <= 79, said()), () -> assertFalse(said().contains("\u001B"), said()));
    }
}

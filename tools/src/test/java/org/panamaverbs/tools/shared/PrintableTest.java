package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void shouldWriteWhatIsNotShownAsNumbers() {
        assertEquals("n\u00E4me \\ \\u{1b}[2J \\u{9b} \\u{202e} \\u{e0001} \\u{d800}",
                Printable.of("n\u00E4me \\ \u001B[2J \u009B \u202E \uDB40\uDC01 \uD800"));
    }

    @Test
    void shouldLeaveWhatItHasWritten() {
        String shown = Printable.of("a\u009Bb");
        assertEquals(shown, Printable.of(shown));
    }
}

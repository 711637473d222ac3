package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Of each category one or more: Cc, Cf, Zl, Zp, Cs, Co, Cn. */
    @ParameterizedTest
    @ValueSource(ints = { 0x00, 0x07, 0x0A, 0x0D, 0x1B, 0x7F, 0x80, 0x9B, 0x9D, 0xAD, 0x061C, 0x200E, 0x200F, 0x202A, 0x202E, 0x2066,
            0x2069, 0xFEFF, 0xE0001, 0x2028, 0x2029, 0xD800, 0xDFFF, 0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0x0378, 0xFFFE, 0x10FFFF })
    void shouldShowTheNumberOf(int character) {
        String text = "a" + Character.toString(character) + "b";
        assertEquals("a\\u{" + Integer.toHexString(character) + "}b", Printable.of(text));
        assertFalse(Printable.is(text));
    }

    @ParameterizedTest
    @ValueSource(ints = { ' ', '~', 0xA0, 0xE4, 0x0301, 0x4E2D, 0x1F4C4 })
    void shouldShow(int character) {
        String text = "a" + Character.toString(character) + "b";
        assertEquals(text, Printable.of(text));
        assertTrue(Printable.is(text));
    }
}

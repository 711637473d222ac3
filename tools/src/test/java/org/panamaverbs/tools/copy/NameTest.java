package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.tools.shared.Failure;

class NameTest {
    private static final Path FOLDER = Path.of("/folder");

    @ParameterizedTest
    @ValueSource(strings = { "name", "näme 2.tar.gz", "a.", "a..b", "名前", "a\u0301", "\uD83D\uDCC4" })
    void shouldTakeWhatATerminalShowsAsItIs(String name) {
        assertEquals(FOLDER.resolve(name), Name.within(FOLDER, name));
    }

    /** By their numbers: reports of tests are shown at terminals, too. */
    @ParameterizedTest
    @ValueSource(ints = { 0x00, 0x1B, 0x7F, 0x80, 0x9B, 0x9F, 0xAD, 0x0378, 0x200B, 0x2028, 0x2029, 0x202E, 0x2066, 0xD800, 0xDC00, 0xE000,
            0xFEFF, 0xFFFE, 0xE0001, 0x10FFFF })
    void shouldRefuseWhatSteersATerminalOrHides(int character) {
        String odd = Character.toString(character);
        Failure failure = assertThrows(Failure.class, () -> Name.within(FOLDER, "a" + odd + "b"));
        assertAll(() -> assertFalse(failure.getMessage().contains(odd), "shows it"), () -> assertEquals(0,
                failure.getMessage().indexOf("\"a\\u{" + Integer.toHexString(character) + "}b\""), failure.getMessage()));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", ".", "..", "...", ".bashrc", ".ssh", "a/b", "a\\b", "/a" })
    void shouldRefuseWhatLeadsElsewhereOrIsHidden(String name) {
        Failure failure = assertThrows(Failure.class, () -> Name.within(FOLDER, name));
        assertAll(() -> assertEquals(Failure.Kind.REFUSED, failure.kind()),
                () -> assertTrue(failure.getMessage().contains("a dot at its start"), failure.getMessage()));
    }
}

package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegisterTest {
    private static final String HEAD = "title = RFC 1\nprefix = RFC1\nsentences = 4\n# a comment\n";

    @TempDir
    Path folder;

    private List<Register> read(String rows) throws IOException {
        Files.writeString(folder.resolve("rfc1.txt"), HEAD + rows);
        return Register.all(folder);
    }

    @Test
    void shouldMakeAPageOfRowsAndTests() throws IOException {
        Register register = read("""
                1-a | MUST | be kind | |
                1-b | MUST NOT | be unkind | departs | it is Monday
                1-c | SHOULD | greet | not ours | the host's
                1-d | SHOULD | listen | by construction | `Ear`
                """).getFirst();
        String page = register.page("house",
                Map.of("RFC1-1-a", Set.of("`HouseTest#shouldBeKind`"), "RFC1-1-b", Set.of("`HouseTest#shouldGrumble`")));
        assertTrue(page.contains("4 rows: 1 tested, 1 by construction, 1 departs, 1 not ours."), page);
        assertTrue(page.contains("| RFC1-1-a | MUST | be kind | tested by `HouseTest#shouldBeKind` |\n"), page);
        assertTrue(page.contains("| tested by `HouseTest#shouldGrumble`; departs: it is Monday |\n"), page);
        assertTrue(page.endsWith("| RFC1-1-d | SHOULD | listen | by construction: `Ear` |\n"), page);
        assertEquals(4, register.sentences());
    }

    /** Two modules may answer a sentence: the register of one has all sentences, that of the other its answers. */
    @Test
    void shouldTakeTheSentencesOfTheWhole() throws IOException {
        Files.writeString(folder.resolve("rfc1-garden.txt"), "title = RFC 1, the garden\nwhole = rfc1.txt\n1-b | not ours | the dog's\n");
        Register register = read("1-a | MUST | be kind | |\n1-b | MUST NOT | be unkind | departs | it is Monday\n").getFirst();
        assertEquals("rfc1-garden", register.name());
        assertEquals(1, register.sentences());
        String page = register.page("garden", Map.of("RFC1-1-b", Set.of("`GardenTest#shouldGrow`")));
        assertTrue(page.startsWith("# RFC 1, the garden\n\nSentences of [rfc1.md](rfc1.md) that `garden` answers "), page);
        assertTrue(page.endsWith("| RFC1-1-b | MUST NOT | be unkind | tested by `GardenTest#shouldGrow`; not ours: the dog's |\n"), page);

        Files.writeString(folder.resolve("rfc1-garden.txt"), "title = RFC 1, the garden\nwhole = rfc1.txt\n1-c | |\n");
        assertThrows(IOException.class, () -> Register.all(folder));
    }

    @ParameterizedTest
    @ValueSource(strings = { "1-a | MUST | be kind | |\n1-a | MUST | be kind again | |", "1-a | MUST | be kind",
            "1-a | MUST | be | kind | | |" })
    void shouldRefuseATableThatIsBroken(String rows) {
        assertThrows(IOException.class, () -> read(rows));
    }

    @Test
    void shouldRefuseAnAnswerThatIsNone() {
        assertThrows(IllegalArgumentException.class, () -> read("1-a | MUST | be kind | perhaps | one day"));
    }
}

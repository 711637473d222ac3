package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
    private static final String PART = ".pverbs-0123456789abcdef.part";

    @TempDir
    private Path folder;

    @Test
    void shouldSayHowToRemoveAPart() throws IOException {
        Path odd = Files.createDirectory(folder.resolve("it's a folder"));
        Files.writeString(odd.resolve(PART), "text");
        assertEquals(Optional.of("unfinished copies of earlier runs take 4 bytes, and no process uses them; to remove them: rm '" + folder
                + "/it'\\''s a folder/" + PART + "'"), Leftovers.in(odd));
    }

    @Test
    void shouldNameNothingElse() throws IOException {
        Path other = Files.writeString(folder.resolve("name"), "text");
        Files.writeString(folder.resolve(PART + "s"), "text");
        Files.writeString(folder.resolve("a" + PART), "text");
        Files.writeString(folder.resolve(".pverbs-0123.part"), "text");
        Files.createFile(folder.resolve(".pverbs-0000000000000001.part"));
        Files.createDirectory(folder.resolve(".pverbs-0000000000000002.part"));
        Files.createSymbolicLink(folder.resolve(".pverbs-0000000000000003.part"), other);
        assertEquals(Optional.empty(), Leftovers.in(folder));
    }

    @Test
    void shouldNotNameAPartOfThisProcess() throws IOException {
        try (NewFile file = NewFile.named(folder.resolve("name"))) {
            file.reserve(0, 4, 0);
            assertEquals(Optional.empty(), Leftovers.in(folder));
        }
    }

    @Test
    void shouldSayNothingOfAFolderThatIsMissing() {
        assertEquals(Optional.empty(), Leftovers.in(folder.resolve("missing")));
    }
}

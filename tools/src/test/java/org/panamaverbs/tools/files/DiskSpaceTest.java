package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpaceTest {
    private static final long SIZE = 3 << 20 | 1;

    @TempDir
    private Path folder;

    @Test
    void shouldReserveByZerosInAFileThatHasAName() throws IOException {
        try (NewFile file = NewFile.named(folder.resolve("name"))) {
            file.reserve(0, SIZE, 0);
            file.reserve(SIZE, SIZE, 0);
            assertEquals(2 * SIZE, file.channel().size());
        }
    }

    @Test
    void shouldReserveOnlyThePartThatIsWanted() throws IOException {
        NewFile made = NewFile.unnamed(folder.resolve("name"));
        assumeTrue(made != null, "the file system has no files without a name");
        try (MappedFile file = MappedFile.map(made, 100 * SIZE)) {
            long before = Unnamed.room(folder, ProcessHandle.current().pid());
            file.reserve(SIZE, SIZE, 0);
            long after = Unnamed.room(folder, ProcessHandle.current().pid());
            assertAll(() -> assertEquals(0, before), () -> assertTrue(after >= SIZE && after < 2 * SIZE, () -> "takes " + after));
        }
    }

    @Test
    void shouldKeepSomeOfTheDiskFree() throws IOException {
        try (NewFile file = NewFile.create(folder.resolve("name"))) {
            long room = folder.toFile().getUsableSpace();
            FileSystemException failure = assertThrows(FileSystemException.class, () -> file.reserve(0, 1, room + (1L << 30)));
            assertAll(() -> assertTrue(failure.getReason().contains("start serve with a smaller --keep-free"), failure.getReason()),
                    () -> assertEquals(0, file.channel().size()));
        }
        try (var files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }
}

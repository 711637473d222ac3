package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpaceTest {
    private static final int SIZE = 3 << 20 | 1;

    @TempDir
    private Path folder;

    @Test
    void shouldReserveAllOfTheFile() throws IOException {
        Path part = folder.resolve("part");
        try (FileChannel channel = open(part)) {
            DiskSpace.reserve(channel, part, SIZE);
            assertEquals(SIZE, Files.size(part));
        }
    }

    @Test
    void shouldReserveInTheOpenFileWhereAnotherHasItsName() throws IOException {
        Path part = folder.resolve("part");
        Path moved = folder.resolve("moved");
        try (FileChannel channel = open(part)) {
            Files.move(part, moved);
            Files.writeString(part, "of somebody else");
            DiskSpace.reserve(channel, part, SIZE);
        }
        assertAll(() -> assertEquals("of somebody else", Files.readString(part)), () -> assertEquals(SIZE, Files.size(moved)));
    }

    @Test
    void shouldReserveInTheOpenFileWhereALinkHasItsName() throws IOException {
        Path part = folder.resolve("part");
        Path moved = folder.resolve("moved");
        Path other = Files.writeString(folder.resolve("other"), "of somebody else");
        try (FileChannel channel = open(part)) {
            Files.move(part, moved);
            Files.createSymbolicLink(part, other);
            DiskSpace.reserve(channel, part, SIZE);
        }
        assertAll(() -> assertEquals("of somebody else", Files.readString(other)), () -> assertEquals(SIZE, Files.size(moved)));
    }

    @Test
    void shouldFindTheDescriptorOfTheOpenFileOnly() throws IOException {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "the system tells no descriptors");
        Path part = folder.toRealPath().resolve("part");
        Path moved = part.resolveSibling("moved");
        try (FileChannel channel = open(part)) {
            int descriptor = DiskSpace.descriptor(part);
            Files.move(part, moved);
            Files.writeString(part, "of somebody else");
            assertAll(() -> assertTrue(descriptor >= 0 && channel.isOpen()), () -> assertEquals(-1, DiskSpace.descriptor(part)),
                    () -> assertEquals(descriptor, DiskSpace.descriptor(moved)));
        }
    }

    private static FileChannel open(Path part) throws IOException {
        return FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
}

package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.statx;

class FileCallsTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void needsLinux() {
        assumeTrue(FileCalls.isAvailable(), "the numbers of this system are not known");
    }

    private int root() {
        int root = FileCalls.openAt(Libc.AT_FDCWD(), folder.toString().getBytes(), Libc.O_PATH() | FileCalls.O_DIRECTORY, 0);
        assertTrue(root >= 0);
        return root;
    }

    @Test
    void shouldWorkRelativeToAnOpenDirectory() throws Exception {
        int root = root();
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(0, FileCalls.makeDirectory(root, "one".getBytes(), 0700));
            assertEquals(0, FileCalls.rename(root, "one".getBytes(), root, "two".getBytes()));
            assertTrue(Files.isDirectory(folder.resolve("two")));
            assertEquals(0, FileCalls.unlink(root, "two".getBytes(), Libc.AT_REMOVEDIR()));
            Files.writeString(folder.resolve("file"), "12345");
            MemorySegment status = statx.allocate(arena);
            assertEquals(0, FileCalls.statx(root, "file".getBytes(), Libc.AT_SYMLINK_NOFOLLOW(), Libc.STATX_BASIC_STATS(), status));
            assertEquals(5, statx.stx_size(status));
            Files.createSymbolicLink(folder.resolve("link"), Path.of("target"));
            int link = FileCalls.openAt(root, "link".getBytes(), Libc.O_PATH() | FileCalls.O_NOFOLLOW, 0);
            MemorySegment text = arena.allocate(100);
            assertEquals("target".length(), FileCalls.readLink(link, text));
            assertArrayEquals("target".getBytes(), text.asSlice(0, "target".length()).toArray(ValueLayout.JAVA_BYTE));
            FileCalls.close(link);
        } finally {
            FileCalls.close(root);
        }
    }

    @Test
    void shouldReturnTheErrorNegated() {
        int root = root();
        try {
            assertEquals(-Errno.ENOENT, FileCalls.openAt(root, "nothing".getBytes(), Libc.O_RDONLY(), 0));
            assertEquals(-Errno.ENOENT, FileCalls.unlink(root, "nothing".getBytes(), 0));
            assertEquals(-Errno.EBADF, FileCalls.allocate(-1, 0, 1));
        } finally {
            FileCalls.close(root);
        }
    }

    @Test
    void shouldNameAFileThatHadNone() throws Exception {
        int file = FileCalls.openAt(Libc.AT_FDCWD(), folder.toString().getBytes(), FileCalls.O_TMPFILE | Libc.O_RDWR(), 0600);
        assumeTrue(file != -Errno.EOPNOTSUPP, "this file system has no files without a name");
        assertTrue(file >= 0);
        assertEquals(0, FileCalls.allocate(file, 0, 4096));
        assertEquals(0, FileCalls.link(("/proc/self/fd/" + file).getBytes(), folder.resolve("named").toString().getBytes()));
        assertEquals(-Errno.EEXIST, FileCalls.link(("/proc/self/fd/" + file).getBytes(), folder.resolve("named").toString().getBytes()));
        FileCalls.close(file);
        assertEquals(4096, Files.size(folder.resolve("named")));
    }
}

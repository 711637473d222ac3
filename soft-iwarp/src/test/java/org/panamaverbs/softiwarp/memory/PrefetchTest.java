package org.panamaverbs.softiwarp.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrefetchTest {
    private static final int LENGTH = 3 * 4096;
    /** So many that the loop is compiled. */
    private static final int SOUND = 20_000;
    private static final int CUT_SHORT = 500;

    /** Prefetching is a hint: requests report that the file is too short. No error may strike the program's thread, at once or later. */
    @Test
    void shouldLeaveAFileThatIsCutShortToTheRequests(@TempDir Path folder) throws IOException {
        try (Arena arena = Arena.ofShared(); RandomAccessFile file = new RandomAccessFile(folder.resolve("mapped").toFile(), "rw")) {
            file.setLength(LENGTH);
            MemorySegment writable = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
            MemorySegment readable = writable.asReadOnly();
            for (int i = 0; i < SOUND; i++) {
                Prefetch.of(writable);
                Prefetch.of(readable);
            }
            file.setLength(0);
            for (int i = 0; i < CUT_SHORT; i++) {
                Prefetch.of(writable);
                Prefetch.of(readable);
            }
        }
    }
}

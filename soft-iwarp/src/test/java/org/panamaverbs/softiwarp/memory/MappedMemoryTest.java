package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A mapped file that another process cuts short: each copy reports it, and none leaves an error behind that strikes the thread later, in
 * code that has nothing to do with it. Compiled code did the latter.
 */
class MappedMemoryTest {
    private static final int LENGTH = 4096;
    /** So many that the copy is compiled by C2. */
    private static final int COPIES = 300_000;
    private static final int FAULTS = 500;

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment own = arena.allocate(LENGTH);
    private RandomAccessFile file;
    private RegisteredMemory mapped;

    @BeforeEach
    void map() throws IOException {
        file = new RandomAccessFile(folder.resolve("mapped").toFile(), "rw");
        file.setLength(LENGTH);
        mapped = new RegisteredMemory(file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena), this, 0);
    }

    @AfterEach
    void unmap() throws IOException {
        arena.close();
        file.close();
    }

    @Test
    void shouldReportWhatACursorCannotPut() throws IOException {
        SgeCursor cursor = new SgeCursor();
        assertReported(() -> {
            cursor.wrap(mapped, 0, LENGTH);
            return cursor.put(own, 0, LENGTH);
        });
    }

    @Test
    void shouldReportWhatACursorCannotGet() throws IOException {
        SgeCursor cursor = new SgeCursor();
        assertReported(() -> {
            cursor.wrap(mapped, 0, LENGTH);
            return cursor.get(own, 0, LENGTH);
        });
    }

    @Test
    void shouldReportWhatAVectorCannotCopy() throws IOException {
        IoVector from = new IoVector(1);
        IoVector to = new IoVector(1);
        to.add(own, 0, LENGTH);
        from.add(mapped, 0, LENGTH);
        assertReported(() -> from.copyTo(to) == LENGTH);
    }

    @Test
    void shouldReportWhatAVectorCannotTake() throws IOException {
        IoVector from = new IoVector(1);
        IoVector to = new IoVector(1);
        from.add(own, 0, LENGTH);
        to.add(mapped, 0, LENGTH);
        assertReported(() -> from.copyTo(to) == LENGTH);
    }

    private void assertReported(BooleanSupplier copy) throws IOException {
        assertEquals(COPIES, successes(copy, COPIES), "copies of a whole file");
        file.setLength(0);
        int late = 0;
        int copied = 0;
        for (int i = 0; i < FAULTS; i++) {
            try {
                copied += successes(copy, 1);
            } catch (InternalError e) {
                late++;
            }
        }
        assertEquals(0, late, "errors outside of the copy");
        assertEquals(0, copied, "copies of a file that is not there");
    }

    private static int successes(BooleanSupplier copy, int copies) {
        int successes = 0;
        for (int i = 0; i < copies; i++) {
            if (copy.getAsBoolean()) {
                successes++;
            }
        }
        return successes;
    }
}

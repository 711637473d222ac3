package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.libc.Libc;

/** Files in memory, their seals and mappings; SharedMultiplexerTest sends their descriptors. */
class SharedMemoryCallsTest {
    private static final int SIZE = 8192;

    @BeforeEach
    void needsLinux() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
    }

    @Test
    void shouldShareTheBytesOfTwoMappings() {
        int file = SharedMemoryCalls.create("test", SIZE);
        assertTrue(file >= 0, () -> Errno.text(-file));
        assertEquals(SIZE, SharedMemoryCalls.size(file));
        long first = SharedMemoryCalls.map(file, SIZE);
        long second = SharedMemoryCalls.map(file, SIZE);
        Libc.close(file);
        MemorySegment one = SharedMemoryCalls.memory(first, SIZE);
        MemorySegment two = SharedMemoryCalls.memory(second, SIZE);
        one.set(ValueLayout.JAVA_LONG, SIZE - Long.BYTES, 42);
        assertEquals(42, two.get(ValueLayout.JAVA_LONG, SIZE - Long.BYTES));
        SharedMemoryCalls.unmap(first, SIZE);
        SharedMemoryCalls.unmap(second, SIZE);
    }

    @Test
    void shouldKeepTheSizeOfASealedFile() throws IOException {
        int file = SharedMemoryCalls.create("test", SIZE);
        assertEquals(0, SharedMemoryCalls.seals(file));
        int all = SharedMemoryCalls.F_SEAL_SHRINK | SharedMemoryCalls.F_SEAL_GROW | SharedMemoryCalls.F_SEAL_SEAL;
        assertEquals(0, SharedMemoryCalls.seal(file, all));
        assertEquals(all, SharedMemoryCalls.seals(file));
        try (SeekableByteChannel channel = Files.newByteChannel(Path.of("/proc/self/fd/" + file), StandardOpenOption.WRITE)) {
            assertThrows(IOException.class, () -> channel.truncate(0));
        }
        assertEquals(SIZE, SharedMemoryCalls.size(file));
        Libc.close(file);
    }

    @Test
    void shouldTellThatAFileOnADiskHasNoSeals() throws IOException {
        Path file = Files.createTempFile("no", "memfd");
        try {
            int descriptor = FileCalls.openAt(Libc.AT_FDCWD(), file.toString().getBytes(StandardCharsets.UTF_8), Libc.O_RDWR(), 0);
            assertTrue(descriptor >= 0);
            int seals = SharedMemoryCalls.seals(descriptor);
            assertTrue(seals == -Errno.EINVAL || seals == SharedMemoryCalls.F_SEAL_SEAL, () -> "seals " + seals);
            Libc.close(descriptor);
        } finally {
            Files.delete(file);
        }
    }
}

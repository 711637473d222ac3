package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.spi.support.ArenaHold;

class RegistrableArenaTest {
    @Test
    void shouldCountSlicesAndOtherViewsOfItsMemory() {
        RegistrableArena arena = RegistrableArena.ofShared();
        MemorySegment memory = arena.allocate(64, 8);
        ArenaHold whole = ArenaHold.of(memory);
        ArenaHold part = ArenaHold.of(memory.asSlice(8, 8).asReadOnly());
        assertEquals(2, arena.registrations());
        whole.release();
        assertEquals("memory of the arena has 1 registration: close the memory regions, or their domain, before the arena",
                assertThrows(IllegalStateException.class, arena::close).getMessage());
        part.release();
        arena.close();
        assertFalse(arena.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldCountMappedFiles(@TempDir Path directory) throws IOException {
        try (FileChannel file = FileChannel.open(directory.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE); RegistrableArena arena = RegistrableArena.ofShared()) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
            ArenaHold hold = ArenaHold.of(mapped);
            assertEquals(1, arena.registrations());
            assertThrows(IllegalStateException.class, arena::close);
            hold.release();
        }
    }

    /** One thread registers and ends registrations, another closes: a hold is on open memory, or is refused. */
    @Test
    void shouldDecideBetweenAHoldAndTheClosing() throws InterruptedException {
        AtomicInteger held = new AtomicInteger();
        // Closing a shared arena stops every thread of the JVM for a moment, which takes long on a busy machine.
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.getLong("proofs.millis", 200));
        for (int round = 0; round < 2_000 && (held.get() == 0 || System.nanoTime() < end); round++) {
            RegistrableArena arena = RegistrableArena.ofShared();
            MemorySegment memory = arena.allocate(8);
            Thread closing = Thread.ofPlatform().start(() -> {
                while (arena.scope().isAlive()) {
                    try {
                        arena.close();
                    } catch (IllegalStateException isHeld) {
                        Thread.onSpinWait();
                    }
                }
            });
            try {
                while (true) {
                    ArenaHold hold = ArenaHold.of(memory);
                    memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                    held.incrementAndGet();
                    hold.release();
                }
            } catch (IllegalStateException isClosed) {
                assertFalse(arena.scope().isAlive(), isClosed::getMessage);
            }
            closing.join();
        }
        assertTrue(held.get() > 0, "no round held the arena");
    }
}

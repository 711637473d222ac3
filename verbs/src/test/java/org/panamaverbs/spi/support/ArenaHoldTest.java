package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ResourceException;

class ArenaHoldTest {
    /** The threads of the test before may still be listed. */
    @BeforeEach
    void beginWithoutThreads() {
        awaitThreads(0);
    }

    @Test
    void shouldKeepAnArenaOpenUntilTheLastHoldIsReleased() {
        Arena arena = Arena.ofShared();
        ArenaHold first = ArenaHold.of(arena.allocate(1));
        ArenaHold second = ArenaHold.of(arena.allocate(1));
        assertThrows(IllegalStateException.class, arena::close);
        first.release();
        assertThrows(IllegalStateException.class, arena::close);
        second.release();
        arena.close();
        assertFalse(arena.scope().isAlive());
    }

    @Test
    void shouldHoldAnArenaAgain() {
        Arena arena = Arena.ofShared();
        for (int i = 0; i < 100; i++) {
            ArenaHold hold = ArenaHold.of(arena.allocate(1));
            assertThrows(IllegalStateException.class, arena::close);
            hold.release();
        }
        arena.close();
    }

    @Test
    void shouldRefuseAClosedArena() {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(1);
        arena.close();
        assertThrows(IllegalStateException.class, () -> ArenaHold.of(segment));
    }

    @Test
    void shouldNeedNoThreadWhereNothingCanBeClosed() {
        ArenaHold global = ArenaHold.of(Arena.global().allocate(1));
        ArenaHold automatic = ArenaHold.of(Arena.ofAuto().allocate(1));
        assertEquals(0, threads());
        global.release();
        automatic.release();
    }

    @Test
    void shouldShareAThreadPerArenaAndLeaveNone() throws Exception {
        Arena arena = Arena.ofShared();
        try (var executor = Executors.newFixedThreadPool(8)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                all.add(executor.submit(() -> {
                    for (int round = 0; round < 50; round++) {
                        ArenaHold hold = ArenaHold.of(arena.allocate(1));
                        assertThrows(IllegalStateException.class, arena::close);
                        hold.release();
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        arena.close();
        awaitThreads(0);
    }

    @Test
    void shouldSayThatTooManyArenasAreHeld() {
        List<ArenaHold> holds = new ArrayList<>();
        List<Arena> arenas = new ArrayList<>();
        try {
            ResourceException refused = assertThrows(ResourceException.class, () -> {
                for (int i = 0; i <= ArenaHold.MAXIMUM_ARENAS; i++) {
                    Arena arena = Arena.ofShared();
                    arenas.add(arena);
                    holds.add(ArenaHold.of(arena.allocate(1)));
                }
            });
            assertTrue(refused.getMessage().contains("allocate what is registered from a RegistrableArena"), refused.getMessage());
        } finally {
            holds.forEach(ArenaHold::release);
            arenas.forEach(Arena::close);
        }
    }

    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("panama-verbs-arena")).count();
    }

    /** A thread is still listed for a moment after its last act. */
    private static void awaitThreads(int count) {
        long end = System.nanoTime() + 60_000_000_000L;
        while (threads() > count && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(count, threads());
    }
}

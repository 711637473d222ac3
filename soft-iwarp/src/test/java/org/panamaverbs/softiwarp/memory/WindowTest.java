package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.testing.conformance.Requirement;

class WindowTest {
    private static final int WRITE = AccessFlags.REMOTE_WRITE;
    private static final int READ = AccessFlags.REMOTE_READ;

    private final Object domain = new Object();
    private final Object queuePair = new Object();
    private int nextStag;
    private final StagTable<RegisteredMemory> table = new StagTable<>(() -> nextStag += 0x100, 1 << 10);
    private final RegisteredMemory region = new RegisteredMemory(Arena.ofAuto().allocate(64), domain, 0, 0x1000, null);
    private final Window window = Window.allocate(table, domain, true);

    private int bind(Window which, long offset, long length, int rights) {
        int stag = which.next();
        assertTrue(which.bind(stag, region, offset, length, rights, queuePair));
        which.bindingEnded();
        return stag;
    }

    private Fault check(int stag, Object by, long tagged, long size) {
        RegisteredMemory memory = table.find(stag);
        return memory == null ? Fault.INVALID_STAG : memory.check(domain, by, stag, WRITE, tagged, size);
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-c,d", "RFC5041-8.3.1-c", "RFC5042-6.1.1-c", "RFC5042-6.2.1-a" })
    void shouldOpenItsPartAlone() {
        int stag = bind(window, 16, 8, WRITE);
        assertEquals(Fault.NONE, check(stag, queuePair, 0x1010, 8));
        assertEquals(Fault.BOUNDS, check(stag, queuePair, 0x100F, 8));
        assertEquals(Fault.BOUNDS, check(stag, queuePair, 0x1011, 8));
        assertEquals(Fault.NOT_OF_STREAM, check(stag, new Object(), 0x1010, 8));
    }

    @Test
    void shouldEndWithItsRegion() {
        int stag = bind(window, 0, 64, WRITE);
        RegisteredMemory binding = table.find(stag);
        assertTrue(binding.enter());
        binding.exit();
        region.retire();
        assertFalse(binding.enter());
        assertEquals(Fault.INVALID_STAG, check(stag, queuePair, 0x1000, 8));
        assertFalse(window.bind(window.next(), region, 0, 8, WRITE, queuePair), "the region is gone");
    }

    @Test
    void shouldUseABindingAgainThatNoStreamHasLookedUp() {
        int first = bind(window, 0, 8, WRITE);
        RegisteredMemory binding = table.find(first);
        binding.retire();
        int second = bind(window, 0, 8, WRITE);
        assertSame(binding, table.find(second));
        assertNull(table.find(first));
        assertFalse(binding.hold(first), "that key is gone");
        assertEquals(Fault.NONE, check(second, queuePair, 0x1000, 8));
    }

    @Test
    void shouldNotUseABindingAgainThatAStreamHasLookedUp() {
        int first = bind(window, 0, 8, WRITE);
        assertEquals(Fault.NONE, check(first, queuePair, 0x1000, 8));
        RegisteredMemory binding = table.find(first);
        binding.retire();
        int second = bind(window, 0, 8, WRITE);
        assertNotSame(binding, table.find(second));
        assertFalse(binding.enter());
    }

    @Test
    void shouldNotUseABindingAgainForAnotherPart() {
        RegisteredMemory binding = table.find(bind(window, 0, 8, WRITE));
        binding.retire();
        assertNotSame(binding, table.find(bind(window, 8, 8, WRITE)));
        assertFalse(binding.enter());
    }

    /** Random numbers of a seed that a failure names. */
    private StagTable<RegisteredMemory> seeded(long seed) {
        return new StagTable<>(new SplittableRandom(seed)::nextInt, 1 << 10);
    }

    @Test
    void shouldGiveEachBindingAKeyOfItsOwn() {
        long seed = System.nanoTime();
        StagTable<RegisteredMemory> random = seeded(seed);
        Window shared = Window.allocate(random, domain, false);
        List<Integer> recent = new ArrayList<>(List.of(shared.stag()));
        for (int i = 1; i < 1000; i++) {
            int stag = bind(shared, i % 8, 8, READ);
            assertEquals(recent.getLast() & ~0xFF, stag & ~0xFF, "the index stays");
            assertFalse(recent.contains(stag), "a key came back soon, seed " + seed);
            recent.forEach(before -> assertNull(random.find(before), "a key before"));
            recent.add(stag);
            if (recent.size() > 128) {
                recent.removeFirst();
            }
        }
    }

    /** A peer that knows all keys of the past guesses the next one at most once in 128 times, whatever rule it guesses by. */
    @Test
    @Requirement("RFC5040-8.1.1-i")
    void shouldNotLetAKeyTellTheNext() {
        long seed = System.nanoTime();
        Window shared = Window.allocate(seeded(seed), domain, false);
        int[] steps = new int[256];
        int before = shared.stag();
        for (int i = 0; i < 128 * 100; i++) {
            int stag = bind(shared, 0, 8, READ);
            steps[stag - before & 0xFF]++;
            before = stag;
        }
        for (int step = 0; step < 256; step++) {
            // 100 on average at the most, with a standard deviation of 10.
            assertTrue(steps[step] < 200, "the step " + step + " came " + steps[step] + " times, seed " + seed);
        }
    }

    @Test
    void shouldNeverHaveAReservedStag() {
        nextStag = 4;
        Window first = Window.allocate(new StagTable<>(() -> ++nextStag, 1), domain, false);
        assertEquals(5, first.stag(), "the index of the reserved STags");
        for (int i = 0; i < 1000; i++) {
            int stag = bind(first, 0, 8, READ);
            assertTrue(stag > 1 && stag < 256, () -> "STag " + stag);
        }
    }

    @Test
    void shouldHaveTheLastKeyAgainIfABindingFails() {
        int stag = bind(window, 0, 8, WRITE);
        int next = window.next();
        assertEquals(next, window.stag());
        assertFalse(window.bind(next, region, 0, 8, WRITE, queuePair), "it is bound");
        window.bindingEnded();
        assertEquals(stag, window.stag());
        assertEquals(Fault.NONE, check(stag, queuePair, 0x1000, 8));
    }

    @Test
    void shouldBindNothingOnceItsPlaceInTheTableIsLost() {
        Window shared = Window.allocate(table, domain, false);
        bind(shared, 0, 8, WRITE);
        assertTrue(table.remove(table.find(shared.stag())));
        assertFalse(shared.bind(shared.next(), region, 0, 8, WRITE, queuePair), "the same part");
        assertFalse(shared.bind(shared.next(), region, 8, 8, WRITE, queuePair), "another part");
        assertFalse(shared.bind(shared.next(), null, 0, 0, 0, queuePair), "nothing");
        assertNull(table.find(shared.stag()));
    }

    @Test
    void shouldHaveTheLastKeyAgainIfMemoryRanOutForABinding() {
        boolean[] failing = new boolean[1];
        StagTable<RegisteredMemory> poor = new StagTable<>(() -> {
            if (failing[0]) {
                throw new OutOfMemoryError("of the test");
            }
            return nextStag += 0x100;
        }, 1 << 10);
        Window shared = Window.allocate(poor, domain, false);
        int before = shared.stag();
        failing[0] = true;
        assertThrows(OutOfMemoryError.class, shared::next);
        failing[0] = false;
        assertNotEquals(before, shared.next());
        shared.bindingEnded();
        assertEquals(before, shared.stag(), "no binding is outstanding");
    }

    @Test
    void shouldBeUnboundWhenItsQueuePairGoes() {
        int stag = bind(window, 0, 8, WRITE);
        window.release(new Object());
        assertEquals(Fault.NONE, check(stag, queuePair, 0x1000, 8));
        window.release(queuePair);
        assertEquals(Fault.INVALID_STAG, check(stag, queuePair, 0x1000, 8));
        bind(window, 0, 8, WRITE);
    }

    @Test
    void shouldFreeItsIndexWhenItIsClosed() {
        StagTable<RegisteredMemory> small = new StagTable<>(() -> nextStag += 0x100, 1);
        Window only = Window.allocate(small, domain, false);
        assertNull(Window.allocate(small, domain, false), "the table is full");
        int stag = bind(only, 0, 8, WRITE);
        only.close();
        only.close();
        assertNull(small.find(stag));
        assertThrows(IllegalStateException.class, only::next);
        assertTrue(small.add(region));
    }
}

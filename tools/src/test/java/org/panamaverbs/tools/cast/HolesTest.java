package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HolesTest {
    private static List<List<Long>> list(Holes holes) {
        List<List<Long>> list = new ArrayList<>();
        holes.visit((offset, length) -> list.add(List.of(offset, length)));
        return list;
    }

    private static List<List<Long>> list(BitSet come, int size) {
        List<List<Long>> list = new ArrayList<>();
        for (int at = come.nextClearBit(0); at < size; at = come.nextClearBit(at)) {
            int end = come.nextSetBit(at);
            end = end < 0 ? size : end;
            list.add(List.of((long) at, (long) end - at));
            at = end;
        }
        return list;
    }

    @Test
    void shouldBeWithoutHolesInAnEmptyFile() {
        Holes holes = new Holes(0);
        assertAll(() -> assertEquals(0, holes.missing()), () -> assertEquals(List.of(), list(holes)),
                () -> assertEquals(0, holes.prefix()));
    }

    @Test
    void shouldBeOneHoleAtFirst() {
        long size = 5L << 40 | 7;
        Holes holes = new Holes(size);
        assertAll(() -> assertEquals(size, holes.missing()), () -> assertEquals(List.of(List.of(0L, size)), list(holes)));
    }

    @Test
    void shouldStopWhenTheVisitorHasEnough() {
        Holes holes = new Holes(10 * Holes.BLOCK);
        for (int i = 0; i < 10; i++) {
            holes.fill((long) i * Holes.BLOCK + 5, 1);
        }
        List<Long> seen = new ArrayList<>();
        holes.visit((offset, length) -> seen.add(offset) && seen.size() < 2);
        assertEquals(List.of(0L, 6L), seen);
    }

    @Test
    void shouldKnowHowMuchOfTheBeginningHasCome() {
        Holes holes = new Holes(3 * Holes.BLOCK);
        holes.fill(1, Holes.BLOCK);
        long before = holes.prefix();
        holes.fill(0, 1);
        assertAll(() -> assertEquals(0, before), () -> assertEquals(Holes.BLOCK + 1, holes.prefix()));
    }

    /** Against a set of bits, which is right by looking at it. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 100, 65_535, 65_536, 65_537, 300_001 })
    void shouldAgreeWithASetOfBits(int size) {
        long seed = System.nanoTime();
        System.out.println("HolesTest seed " + seed);
        Random random = new Random(seed);
        Holes holes = new Holes(size);
        BitSet come = new BitSet(size);
        for (int i = 0; i < 3000 && come.cardinality() < size; i++) {
            int offset = random.nextInt(size);
            int most = random.nextInt(20) == 0 ? 70_000 : 1 + size / 500;
            int length = 1 + random.nextInt(Math.min(most, size - offset));
            holes.fill(offset, length);
            come.set(offset, offset + length);
            assertEquals(size - come.cardinality(), holes.missing(), () -> "seed " + seed);
            if (i % 50 == 0) {
                assertEquals(list(come, size), list(holes), () -> "seed " + seed);
                assertEquals(Math.min(size, come.nextClearBit(0)), holes.prefix(), () -> "seed " + seed);
            }
        }
        assertEquals(list(come, size), list(holes), () -> "seed " + seed);
    }

    @Test
    void shouldForgetFragmentsBeyondItsRoomAndTakeThemAgain() {
        Holes holes = new Holes(Holes.BLOCK);
        for (int offset = 0; offset < Holes.BLOCK; offset += 2) {
            holes.fill(offset, 1);
        }
        assertEquals(Holes.BLOCK - Holes.MOST_RUNS, holes.missing());
        // As a repair does: the first holes, again and again.
        for (int round = 0; holes.missing() > 0 && round < 10 * Holes.BLOCK; round++) {
            List<long[]> first = new ArrayList<>();
            holes.visit((offset, length) -> first.add(new long[] { offset, length }) && first.size() < 80);
            first.forEach(hole -> holes.fill(hole[0], hole[1]));
        }
        assertEquals(0, holes.missing());
    }

    @Test
    void shouldFillAnyBlockInAnyOrder() {
        Holes holes = new Holes(4L * Holes.BLOCK + 3);
        holes.fill(4L * Holes.BLOCK, 3);
        holes.fill(Holes.BLOCK, 2L * Holes.BLOCK);
        assertEquals(List.of(List.of(0L, (long) Holes.BLOCK), List.of(3L * Holes.BLOCK, (long) Holes.BLOCK)), list(holes));
        holes.fill(0, 4L * Holes.BLOCK + 3);
        assertAll(() -> assertEquals(0, holes.missing()), () -> assertEquals(4L * Holes.BLOCK + 3, holes.prefix()));
    }

    @Test
    void shouldRefuseASizeThatMakesNoSense() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new Holes(-1)).getMessage().contains("-1"));
    }
}

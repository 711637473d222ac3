package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ScatterGatherListTest {
    @Test
    void shouldKeepItsPartsInOrder() {
        MemoryRegion first = region(100);
        MemoryRegion second = region(1L << 40);
        ScatterGatherList list = new ScatterGatherList(3).add(first, 10, 90).add(second, (1L << 40) - 5, 5).add(first, 100, 0);
        assertEquals(3, list.size());
        assertEquals(95, list.totalLength());
        assertSame(first, list.region(0));
        assertSame(second, list.region(1));
        assertEquals((1L << 40) - 5, list.offset(1));
        assertEquals(5, list.length(1));
        assertEquals(0, list.length(2));
    }

    @Test
    void shouldBeFilledAgain() {
        MemoryRegion region = region(100);
        ScatterGatherList list = new ScatterGatherList(1).add(region, 0, 100);
        assertSame(list, list.clear());
        assertEquals(0, list.size());
        assertEquals(0, list.totalLength());
        list.add(region, 1, 2);
        assertEquals(2, list.totalLength());
    }

    @Test
    void shouldRefuseMoreThanItHolds() {
        MemoryRegion region = region(100);
        ScatterGatherList list = new ScatterGatherList(1).add(region, 0, 1);
        assertThrows(IllegalStateException.class, () -> list.add(region, 0, 1));
        assertEquals(1, list.size());
        assertEquals(1, list.totalLength());
        assertThrows(IllegalArgumentException.class, () -> new ScatterGatherList(0));
    }

    @Test
    void shouldRefuseWhatIsOutsideItsRegion() {
        MemoryRegion region = region(100);
        ScatterGatherList list = new ScatterGatherList(1);
        long[][] outside = { { -1, 1 }, { 0, -1 }, { 0, 101 }, { 100, 1 }, { 101, 0 }, { Long.MAX_VALUE, 1 }, { 1, Long.MAX_VALUE } };
        for (long[] part : outside) {
            assertThrows(IndexOutOfBoundsException.class, () -> list.add(region, part[0], part[1]));
        }
        assertEquals(0, list.size());
    }

    @Test
    void shouldRefuseToShowWhatIsNotThere() {
        ScatterGatherList list = new ScatterGatherList(3).add(region(100), 0, 1);
        list.clear();
        assertThrows(IndexOutOfBoundsException.class, () -> list.region(0));
        assertThrows(IndexOutOfBoundsException.class, () -> list.offset(0));
        assertThrows(IndexOutOfBoundsException.class, () -> list.length(0));
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> new ScatterGatherList(1).add(null, 0, 0));
    }

    private static MemoryRegion region(long length) {
        return new MemoryRegion() {
            @Override
            public ProtectionDomain domain() {
                throw new AssertionError("not asked for");
            }

            @Override
            public MemorySegment segment() {
                throw new AssertionError("not asked for");
            }

            @Override
            public long address() {
                return 0;
            }

            @Override
            public long length() {
                return length;
            }

            @Override
            public int localKey() {
                return 1;
            }

            @Override
            public int remoteKey() {
                return 2;
            }

            @Override
            public Set<Access> access() {
                return Set.of();
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public void close() {
            }
        };
    }
}

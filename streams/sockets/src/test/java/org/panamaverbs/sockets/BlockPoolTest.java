package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockPoolTest {
    private static final long BUDGET = 64 << 20;
    private static final int SPARE = 2 << 20;

    @ParameterizedTest
    @ValueSource(ints = { 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20 })
    void shouldHaveFreeBlocksOfZeros(int size) {
        try (BlockPool pool = new BlockPool(BUDGET)) {
            for (int round = 0; round < 2; round++) {
                List<Slab.Part> taken = new ArrayList<>();
                // Of two slabs at least.
                for (int i = 0; i < (256 << 10) / size + 2; i++) {
                    Slab.Part part = pool.take(size);
                    assertEquals(size, part.memory().byteSize());
                    assertEquals(-1, part.memory().mismatch(MemorySegment.ofArray(new byte[size])));
                    part.memory().fill((byte) 7);
                    taken.add(part);
                }
                taken.forEach(pool::giveBack);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 4 << 10, 64 << 10, 512 << 10, 1 << 20 })
    void shouldFreeWhatNoStreamUses(int size) {
        try (BlockPool pool = new BlockPool(BUDGET)) {
            List<Slab.Part> taken = new ArrayList<>();
            while (pool.bytes() < 16 << 20) {
                taken.add(pool.take(size));
            }
            taken.forEach(pool::giveBack);
            assertTrue(pool.bytes() <= SPARE, pool.bytes() + " bytes are left");
            long left = pool.bytes();
            pool.giveBack(pool.take(size));
            assertEquals(left, pool.bytes(), "a block that comes and goes takes memory of its own");
        }
    }

    @Test
    void shouldKeepToItsBudgetAndStillHaveSmallBlocks() {
        try (BlockPool pool = new BlockPool(BUDGET)) {
            List<Slab.Part> taken = new ArrayList<>();
            long large = 0;
            for (int i = 0; i < 2000; i++) {
                Slab.Part part = pool.take(BlockPool.LARGEST);
                taken.add(part);
                large += part.memory().byteSize() > BlockPool.UNCOUNTED ? part.memory().byteSize() : 0;
            }
            assertTrue(large <= BUDGET && large > BUDGET * 9 / 10, large + " bytes");
            assertEquals(BlockPool.UNCOUNTED, pool.take(BlockPool.LARGEST).memory().byteSize());
            assertEquals(BlockPool.SMALLEST, pool.take(BlockPool.SMALLEST).memory().byteSize());
            taken.forEach(pool::giveBack);
            assertEquals(BlockPool.LARGEST, pool.take(BlockPool.LARGEST).memory().byteSize());
        }
    }

    @Test
    void shouldReplaceABlockOnlyByOneOfLessThanHalfIfTheBudgetIsShort() {
        try (BlockPool pool = new BlockPool(BUDGET)) {
            assertEquals(BlockPool.LARGEST, pool.nextSize(BlockPool.LARGEST, BlockPool.SMALLEST));
            for (int i = 0; i < 40; i++) {
                pool.take(BlockPool.LARGEST);
            }
            // 28 MiB or less are left, and a block gets a 32nd of them.
            assertEquals(512 << 10, pool.nextSize(BlockPool.LARGEST, BlockPool.SMALLEST));
            assertEquals(BlockPool.LARGEST, pool.nextSize(BlockPool.LARGEST, BlockPool.LARGEST));
            assertEquals(BlockPool.SMALLEST, pool.nextSize(BlockPool.SMALLEST, BlockPool.LARGEST));
            for (int i = 0; i < 40; i++) {
                pool.take(BlockPool.LARGEST);
            }
            assertEquals(256 << 10, pool.nextSize(BlockPool.LARGEST, BlockPool.LARGEST));
        }
    }

    @Test
    void shouldServeABudgetThatIsSmallerThanABlock() {
        try (BlockPool pool = new BlockPool(0)) {
            assertEquals(BlockPool.UNCOUNTED, pool.take(BlockPool.LARGEST).memory().byteSize());
        }
    }
}

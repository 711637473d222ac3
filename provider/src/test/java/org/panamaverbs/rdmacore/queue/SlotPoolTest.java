package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotPoolTest {
    @Test
    void shouldNeverGiveAPlaceTwiceInWhateverOrderTheyComeBack() {
        int slots = 7;
        SlotPool pool = new SlotPool(slots);
        BitSet taken = new BitSet();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            if (pool.hasRoom() && random.nextBoolean()) {
                int slot = pool.take();
                assertTrue(slot >= 0 && slot < slots && !taken.get(slot), () -> "slot " + slot + " of " + taken);
                taken.set(slot);
            } else if (!taken.isEmpty()) {
                List<Integer> all = new ArrayList<>(taken.stream().boxed().toList());
                int slot = all.get(random.nextInt(all.size()));
                assertTrue(pool.give(slot));
                taken.clear(slot);
            }
            assertTrue(pool.hasRoom() == taken.cardinality() < slots, taken::toString);
        }
    }

    @Test
    void shouldTakeNothingBackThatItHasNotGiven() {
        SlotPool pool = new SlotPool(2);
        assertFalse(pool.give(0));
        int slot = pool.take();
        assertTrue(pool.give(slot));
        assertFalse(pool.give(slot));
        assertFalse(pool.give(-1));
        assertFalse(pool.give(2));
    }
}

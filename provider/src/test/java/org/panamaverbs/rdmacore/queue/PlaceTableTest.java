package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlaceTableTest {
    @Test
    void shouldNeverGiveAPlaceTwiceInWhateverOrderTheyComeBack() {
        int places = 7;
        PlaceTable table = new PlaceTable(places);
        BitSet taken = new BitSet();
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            if (table.hasRoom() && random.nextBoolean()) {
                int place = table.take();
                assertTrue(place >= 0 && place < places && !taken.get(place), () -> "place " + place + " of " + taken);
                taken.set(place);
            } else if (!taken.isEmpty()) {
                List<Integer> all = new ArrayList<>(taken.stream().boxed().toList());
                int place = all.get(random.nextInt(all.size()));
                assertTrue(table.give(place));
                taken.clear(place);
            }
            assertTrue(table.hasRoom() == taken.cardinality() < places, taken::toString);
        }
    }

    @Test
    void shouldTakeNothingBackThatItHasNotGiven() {
        PlaceTable table = new PlaceTable(2);
        assertFalse(table.give(0));
        int place = table.take();
        assertTrue(table.give(place));
        assertFalse(table.give(place));
        assertFalse(table.give(-1));
        assertFalse(table.give(2));
    }
}

package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
    /** The authors' vector for the 8 bytes 0 to 7, under the key of the 16 bytes 0 to 15. */
    @Test
    void shouldHashAsSipHashDoes() {
        assertEquals(0x93f5f5799a932462L, KeyOrder.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x0706050403020100L));
    }

    @Test
    void shouldUseNoKeySoonAgainAndEachNowAndThen() {
        KeyOrder order = new KeyOrder(1, 2, 0x55);
        List<Integer> used = new ArrayList<>(List.of(0x55));
        for (int i = 0; i < 4096; i++) {
            int key = order.next();
            assertTrue(key >= 0 && key < 256, () -> "key " + key);
            assertTrue(used.size() - used.lastIndexOf(key) > 128 || !used.contains(key), () -> "key " + key + " came back soon");
            used.add(key);
        }
        assertEquals(256, used.stream().distinct().count());
    }

    /** Two windows with the same key in use differ in the next, since their secrets differ. */
    @Test
    void shouldDependOnTheSecret() {
        int same = 0;
        for (int i = 0; i < 1000; i++) {
            same += new KeyOrder(i, 0, 7).next() == new KeyOrder(i + 1, 0, 7).next() ? 1 : 0;
            same += new KeyOrder(0, i, 7).next() == new KeyOrder(0, i + 1, 7).next() ? 1 : 0;
        }
        assertTrue(same < 60, same + " of 2000 are the same; 16 would be chance");
    }
}

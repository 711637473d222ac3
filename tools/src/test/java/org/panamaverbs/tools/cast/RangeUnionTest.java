package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

class RangeUnionTest {
    @RepeatedTest(50)
    void shouldAgreeWithASetOfBits() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        RangeUnion union = new RangeUnion();
        BitSet bits = new BitSet();
        int ranges = random.nextInt(200);
        for (int i = 0; i < ranges; i++) {
            int start = random.nextInt(2000);
            int length = 1 + random.nextInt(20);
            union.add(start, start + length);
            bits.set(start, start + length);
        }
        union.merge();
        BitSet back = new BitSet();
        int runs = 0;
        for (int i = 0; i < union.count(); i++) {
            back.set((int) union.start(i), (int) union.end(i));
        }
        for (int at = bits.nextSetBit(0); at >= 0; at = bits.nextSetBit(bits.nextClearBit(at))) {
            runs++;
        }
        assertEquals(bits, back, () -> "seed " + seed);
        assertEquals(runs, union.count(), () -> "seed " + seed);
        assertEquals(bits.cardinality(), union.octets(), () -> "seed " + seed);
    }
}

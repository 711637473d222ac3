package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PacerTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldSpreadOctets() {
        Pacer pacer = new Pacer(1_000_000);
        assertAll(() -> assertEquals(0, pacer.plan(0, 1000)), () -> assertEquals(MS, pacer.plan(0, 1000)),
                () -> assertEquals(MS / 2, pacer.plan(3 * MS / 2, 1000)));
    }

    @Test
    void shouldCatchUpALittleOnly() {
        Pacer pacer = new Pacer(1_000_000);
        pacer.plan(0, 1000);
        // Two are late, and the third waits: not the hundred of 100 ms.
        assertAll(() -> assertEquals(0, pacer.plan(100 * MS, 1000)), () -> assertEquals(0, pacer.plan(100 * MS, 1000)),
                () -> assertEquals(0, pacer.plan(100 * MS, 1000)), () -> assertEquals(MS, pacer.plan(100 * MS, 1000)));
    }

    @Test
    void shouldNotWaitWithoutALimit() {
        Pacer pacer = new Pacer(Long.MAX_VALUE);
        assertAll(() -> assertEquals(0, pacer.plan(0, 1L << 40)), () -> assertEquals(0, pacer.plan(0, 1L << 40)));
    }
}

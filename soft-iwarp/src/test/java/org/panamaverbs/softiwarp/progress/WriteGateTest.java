package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class WriteGateTest {
    private static final int ROUNDS = 20_000;

    private final WriteGate gate = new WriteGate();

    @Test
    void shouldStayShutUntilTheChannelIsWritable() {
        assertFalse(gate.isShut());
        gate.shut(gate.openings());
        assertTrue(gate.isShut());
        gate.open();
        assertFalse(gate.isShut());
    }

    @Test
    void shouldNotShutIfTheChannelBecameWritableAfterTheWrite() {
        int before = gate.openings();
        gate.open();
        gate.shut(before);
        assertFalse(gate.isShut());
    }

    /** One report follows each write that was not whole: the gate must not stay shut, whichever of both threads is first. */
    @Test
    void shouldLoseNoReport() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        int[] stuck = new int[1];
        Thread leader = Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    barrier.await();
                    gate.open();
                    barrier.await();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            int before = gate.openings();
            barrier.await();
            gate.shut(before);
            barrier.await();
            if (gate.isShut()) {
                stuck[0]++;
                gate.open();
            }
        }
        leader.join();
        assertTrue(stuck[0] == 0, () -> stuck[0] + " of " + ROUNDS + " reports were lost");
    }
}

package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a thread that is about to wait busy-polls. */
class BusyPollTest {
    private static final long NANOS = 50_000;

    private final BusyPoll idle = new BusyPoll(NANOS);

    @BeforeEach
    void needsProcessors() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "a single processor never busy-polls");
    }

    @Test
    void shouldPollEverMoreSeldomWhileItFindsNothing() {
        int polls = 0;
        for (int wait = 0; wait < 126; wait++) {
            if (idle.nanos(-1) > 0) {
                polls++;
                idle.onEmpty();
            }
        }
        // The 1st, 5th and 21st wait, and the 85th.
        assertEquals(4, polls);
    }

    @Test
    void shouldPollBeforeEachWaitWhileItFindsSomething() {
        idle.onEmpty();
        for (int wait = 0; wait < 3; wait++) {
            assertEquals(0, idle.nanos(-1));
        }
        for (int wait = 0; wait < 10; wait++) {
            assertEquals(NANOS, idle.nanos(-1));
            idle.onFound();
        }
    }

    /** The poll of each wait finds something with this probability. */
    @ParameterizedTest
    @CsvSource({ "0.1, 0, 0.03", "0.5, 0, 0.05", "0.9, 0.6, 1" })
    void shouldPollSeldomUnlessMostPollsFindSomething(double hits, double least, double most) {
        Random random = new Random(1);
        int polls = 0;
        for (int wait = 0; wait < 100_000; wait++) {
            if (idle.nanos(-1) > 0) {
                polls++;
                if (random.nextDouble() < hits) {
                    idle.onFound();
                } else {
                    idle.onEmpty();
                }
            }
        }
        double share = polls / 100_000.0;
        assertTrue(share >= least && share <= most, share + " of the waits");
    }

    @Test
    void shouldNotPollLongerThanItWouldWait() {
        assertEquals(0, idle.nanos(NANOS - 1));
        assertEquals(NANOS, idle.nanos(NANOS));
    }

    @Test
    void shouldNotPollIfSwitchedOff() {
        assertEquals(0, new BusyPoll(0).nanos(-1));
    }
}

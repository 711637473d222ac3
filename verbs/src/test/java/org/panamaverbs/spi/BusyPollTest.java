package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
        // The 1st, 3rd, 7th, 15th, 31st and 63rd wait.
        assertEquals(6, polls);
    }

    @Test
    void shouldPollBeforeEachWaitWhileItFindsSomething() {
        idle.onEmpty();
        assertEquals(0, idle.nanos(-1));
        for (int wait = 0; wait < 10; wait++) {
            assertEquals(NANOS, idle.nanos(-1));
            idle.onFound();
        }
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

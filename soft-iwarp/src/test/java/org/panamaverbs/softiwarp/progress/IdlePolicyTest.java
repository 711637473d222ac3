package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** When a thread that is about to wait busy-polls. */
class IdlePolicyTest {
    private static final long NANOS = 50_000;

    private final IdlePolicy idle = new IdlePolicy(NANOS);

    @Test
    void shouldPollEverMoreSeldomWhileItFindsNothing() {
        int polls = 0;
        for (int wait = 0; wait < 126; wait++) {
            if (idle.busyPollNanos(-1) > 0) {
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
        assertEquals(0, idle.busyPollNanos(-1));
        for (int wait = 0; wait < 10; wait++) {
            assertEquals(NANOS, idle.busyPollNanos(-1));
            idle.onFound();
        }
    }

    @Test
    void shouldNotPollLongerThanItWouldWait() {
        assertEquals(0, idle.busyPollNanos(NANOS - 1));
        assertEquals(NANOS, idle.busyPollNanos(NANOS));
    }

    @Test
    void shouldNotPollIfSwitchedOff() {
        assertEquals(0, new IdlePolicy(0).busyPollNanos(-1));
    }
}

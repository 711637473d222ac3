package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.Interleavings.require;

import org.junit.jupiter.api.Test;

/** The tests of interleavings can fail. */
class InterleavingsTest {
    private static final class Counter {
        private int count;
        private volatile boolean released;

        void increment() {
            count++;
        }

        void awaitRelease() {
            while (!released) {
                Thread.onSpinWait();
            }
        }
    }

    private static void assertFails(String message, Interleavings<Counter> scenario) {
        AssertionError failure = assertThrows(AssertionError.class,
                () -> scenario.check(counter -> require(counter.count == 2, "an increment is lost")));
        assertTrue(failure.toString().contains(message), failure::toString);
    }

    @Test
    void shouldFindALostUpdate() {
        assertFails("an increment is lost", Interleavings.of(Counter::new).thread(Counter::increment).thread(Counter::increment));
    }

    @Test
    void shouldFindThreadsThatWaitForever() {
        assertFails("hung", Interleavings.of(Counter::new).thread(Counter::increment).thread(Counter::awaitRelease));
    }

    @Test
    void shouldSeeTheExceptionOfAThread() {
        assertFails("a thread fails",
                Interleavings.of(Counter::new).thread(Counter::increment).thread(counter -> require(counter.released, "a thread fails")));
    }
}

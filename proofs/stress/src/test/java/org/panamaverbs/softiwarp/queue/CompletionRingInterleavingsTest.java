package org.panamaverbs.softiwarp.queue;

import static org.panamaverbs.softiwarp.Interleavings.require;

import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class CompletionRingInterleavingsTest {
    /** A ring, and the observations of two threads. */
    private static final class Polled {
        private final Completed completed;
        /** The last number of each producer: of the first from 1 on, of the second from 101. */
        private final long[] last = { 0, 100 };
        private long taken;
        private boolean added;
        private boolean seen;
        private int toldBefore;

        Polled(int capacity) {
            completed = new Completed(capacity);
        }

        static Polled withOne(int capacity) {
            Polled polled = new Polled(capacity);
            polled.completed.add(1, false);
            return polled;
        }

        static Polled armed(boolean solicitedOnly) {
            Polled polled = new Polled(4);
            polled.completed.ring.arm(solicitedOnly);
            return polled;
        }

        void add(long id) {
            added = completed.add(id, false);
        }

        void follow(int most) {
            for (long id : completed.poll(most)) {
                int producer = id > 100 ? 1 : 0;
                require(id == last[producer] + 1, "a completion is lost, or comes twice, or out of order");
                last[producer] = id;
            }
        }

        long sum(int most) {
            long sum = 0;
            for (long id : completed.poll(most)) {
                sum += id;
            }
            return sum;
        }

        void armAndLook() {
            toldBefore = completed.told.get();
            completed.ring.arm(false);
            seen = !completed.ring.isEmpty();
        }

        void requireToldOnce() {
            require(completed.told.get() > 0, "a thread waits though there is a completion");
            require(completed.told.get() < 2, "it is told twice");
        }
    }

    @Test
    void shouldKeepTheOrderOfEachProducer() {
        Interleavings.of(() -> new Polled(4)).thread(polled -> polled.follow(2)).thread(polled -> {
            polled.add(1);
            polled.add(2);
        }).thread(polled -> polled.add(101)).check(polled -> {
            polled.follow(4);
            require(polled.last[0] == 2 && polled.last[1] == 101, "a completion is lost");
        });
    }

    @Test
    void shouldGiveEachCompletionToOnePoller() {
        Interleavings.of(() -> Polled.withOne(4)).thread(polled -> {
            polled.add(2);
            polled.taken = polled.sum(2);
        }).thread(polled -> polled.last[0] = polled.sum(2))
                .check(polled -> require(polled.taken + polled.last[0] == 3, "a completion is lost, or comes twice"));
    }

    @Test
    void shouldTakeAPlaceAgainOnlyAfterItWasPolled() {
        Interleavings.of(() -> Polled.withOne(1)).thread(polled -> polled.taken = polled.sum(1)).thread(polled -> polled.add(2))
                .check(polled -> {
                    require(polled.taken == 1, "a completion is overwritten");
                    require(polled.sum(1) == (polled.added ? 2 : 0), "a completion is lost");
                    require(polled.completed.ring.isOverrun() != polled.added, "a completion that finds no room does not break the ring");
                });
    }

    @Test
    void shouldLoseNothingWhileItGrows() {
        Interleavings.of(() -> Polled.withOne(2)).thread(polled -> polled.completed.grow(4)).thread(polled -> polled.add(2))
                .thread(polled -> polled.follow(1)).check(polled -> {
                    polled.follow(4);
                    require(polled.last[0] == 2, "a completion is lost");
                    require(polled.completed.ring.capacity() == 4, "it has its old capacity");
                });
    }

    @Test
    void shouldTellOnceOfItsOverrun() {
        Interleavings.of(() -> Polled.withOne(1)).thread(polled -> polled.add(2)).thread(polled -> polled.add(3)).check(polled -> {
            require(polled.sum(1) == 1, "a completion is overwritten");
            require(polled.completed.overruns.get() == 1, "its overrun is not told once");
        });
    }

    @Test
    void shouldShowOrTellOfACompletionThatComesWhileItIsArmed() {
        Interleavings.of(() -> new Polled(4)).thread(Polled::armAndLook).thread(polled -> polled.add(1))
                .check(polled -> require(polled.seen || polled.completed.told.get() == 1, "a thread waits though there is a completion"));
    }

    @Test
    void shouldTellOnceEachTimeItIsArmed() {
        Interleavings.of(() -> Polled.armed(false)).thread(polled -> polled.add(1)).thread(polled -> polled.add(2))
                .check(Polled::requireToldOnce);
    }

    @Test
    void shouldTellOfASolicitedCompletionAmongOthers() {
        Interleavings.of(() -> Polled.armed(true)).thread(polled -> polled.add(1)).thread(polled -> polled.completed.add(2, true))
                .check(Polled::requireToldOnce);
    }

    /** Two producers find the ring armed. One tells a thread, which polls both, arms again and waits before the other producer tells. */
    @Test
    void shouldStayArmedWhileAnotherThreadTells() {
        Interleavings.of(() -> Polled.armed(false)).thread(polled -> {
            polled.add(1);
            polled.sum(4);
            polled.armAndLook();
        }).thread(polled -> polled.add(2)).check(polled -> {
            polled.add(3);
            require(polled.seen || polled.completed.told.get() > polled.toldBefore, "a thread waits though there is a completion");
        });
    }

    /** One thread waits for any completion, while another one asks for solicited ones only. */
    @Test
    void shouldTellOfAnyCompletionIfOneOfTwoThreadsAsksForThat() {
        Interleavings.of(() -> new Polled(4)).thread(polled -> polled.completed.ring.arm(true))
                .thread(polled -> polled.completed.ring.arm(false)).check(polled -> {
                    polled.add(1);
                    polled.requireToldOnce();
                });
    }
}

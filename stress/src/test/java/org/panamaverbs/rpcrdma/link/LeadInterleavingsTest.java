package org.panamaverbs.rpcrdma.link;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

/**
 * The lead passes between the thread of a reactor and callers. The reactor's thread has a timer besides, which these scenarios leave out:
 * nothing that needs a leader waits for it.
 */
class LeadInterleavingsTest {
    /** Uses its lead as {@link Reactor} does. */
    private static final class Loop implements Lead.Waker {
        private final Lead lead = new Lead(this, 1);
        private final AtomicBoolean led = new AtomicBoolean();
        /** The reactor's thread waits in its queue, where {@link #wakeLeader} and completions wake it. */
        private volatile boolean ledByReactor;
        /** A thread has woken the reactor's thread from its sleep. */
        private volatile boolean woken;
        private final AtomicInteger tasks = new AtomicInteger();
        /** Callers and answers that need a leader. */
        private final AtomicInteger relying = new AtomicInteger();

        @Override
        public void wakeLeader() {
            // It returns from its queue, and does what is next in any case.
        }

        @Override
        public void wakeReactor() {
            woken = true;
        }

        private void turn() {
            require(led.compareAndSet(false, true), "two threads lead");
            require(lead.isHeldByThisThread(), "the leader does not know that it leads");
            tasks.set(0);
            led.set(false);
        }

        /** Does as the reactor's thread does that leads, until it waits in its queue or sleeps. */
        void lead() {
            while (lead.isToStepBack()) {
                lead.giveUp();
                if (!watch()) {
                    return;
                }
                lead.takeBack();
                turn();
            }
            ledByReactor = true;
        }

        /** Does as the reactor's thread does that has stepped back: it checks once, and sleeps. */
        boolean watch() {
            if (!lead.isHandedBack()) {
                if (lead.peek()) {
                    turn();
                }
                lead.endPeek();
            }
            return lead.isHandedBack();
        }

        /** Watches, and leads if the lead is handed back. */
        void watchAndLead() {
            if (watch()) {
                lead.takeBack();
                turn();
                lead();
            }
        }

        /** A caller whose answer comes while it leads, or that waits for another leader. */
        void call() {
            if (wait(true)) {
                relying.incrementAndGet();
            } else {
                lead.leave(relying.get() > 0);
            }
        }

        /** A virtual thread does not lead. */
        void callWithoutLeading() {
            wait(false);
            relying.incrementAndGet();
        }

        private boolean wait(boolean mayLead) {
            if (!lead.enter() || !mayLead) {
                lead.rely();
                return true;
            }
            if (!lead.tryLead()) {
                return true;
            }
            turn();
            lead.cede(() -> tasks.get() > 0);
            return false;
        }

        /** A call for whose answer no thread waits. */
        void callAsynchronously() {
            relying.incrementAndGet();
            lead.rely();
        }

        void execute() {
            tasks.incrementAndGet();
            lead.rely();
        }

        void requireLeaderIfNeeded() {
            boolean leads = ledByReactor || lead.isHandedBack() && woken;
            require(leads || relying.get() == 0, "a caller is left alone");
            require(leads || tasks.get() == 0, "a task is left alone");
        }

        void requireFreeLead() {
            requireLeaderIfNeeded();
            require(ledByReactor || lead.tryLead(), "a thread still leads");
        }
    }

    /** The reactor's thread has stepped back and sleeps. */
    private static Loop asleep() {
        return new Loop();
    }

    /** The reactor's thread leads. */
    private static Loop led() {
        Loop loop = new Loop();
        loop.lead.takeBack();
        return loop;
    }

    @Test
    void shouldLeaveNoCallerAloneWhenTheReactorStepsBack() {
        Interleavings.of(LeadInterleavingsTest::led).thread(Loop::lead).thread(Loop::call).check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoCallerAloneWhenAnotherOneCedes() {
        Interleavings.of(LeadInterleavingsTest::asleep).thread(Loop::call).thread(Loop::call).check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoCallerAloneWhenAnotherOneComesAndTheReactorStepsBack() {
        Interleavings.of(LeadInterleavingsTest::led).thread(Loop::lead).thread(Loop::call).thread(Loop::callWithoutLeading)
                .check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoCallerAloneWhenTheReactorPeeks() {
        Interleavings.of(LeadInterleavingsTest::asleep).thread(Loop::watchAndLead).thread(Loop::call)
                .check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoAnswerAloneWhenACallerLeaves() {
        Interleavings.of(LeadInterleavingsTest::asleep).thread(Loop::call).thread(Loop::callAsynchronously)
                .check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoAnswerAloneWhenTheReactorStepsBack() {
        Interleavings.of(LeadInterleavingsTest::led).thread(Loop::lead).thread(Loop::call).thread(Loop::callAsynchronously)
                .check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoAnswerAloneWhenTheReactorPeeks() {
        Interleavings.of(LeadInterleavingsTest::asleep).thread(Loop::watchAndLead).thread(Loop::callAsynchronously)
                .check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldLeaveNoTaskAloneWhenACallerCedes() {
        Interleavings.of(LeadInterleavingsTest::asleep).thread(Loop::call).thread(Loop::execute).check(Loop::requireLeaderIfNeeded);
    }

    @Test
    void shouldHaveOneLeader() {
        Interleavings.of(LeadInterleavingsTest::led).thread(Loop::lead).thread(Loop::call).thread(Loop::call).check(Loop::requireFreeLead);
    }
}

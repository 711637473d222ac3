package org.panamaverbs.softiwarp.progress;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class HandoverInterleavingsTest {
    /** Uses its handover as {@link EventLoop} does. The thread that makes this is the progress thread. */
    private static final class Loop {
        private final AtomicBoolean led = new AtomicBoolean();
        /** A thread has woken the progress thread, which sleeps in its multiplexer. */
        private final AtomicBoolean woken = new AtomicBoolean();
        private final AtomicBoolean over = new AtomicBoolean();
        private final Leadership leadership = new Leadership(Thread.currentThread());
        /** Few attempts: Lincheck takes a loop of many for one without an end. */
        private final Handover handover = new Handover(leadership, () -> woken.set(true), 2);

        Loop() {
            require(leadership.takeBack(), "a thread leads already");
        }

        private void turn() {
            require(led.compareAndSet(false, true), "two threads lead");
            led.set(false);
        }

        /** Does as the progress thread does until it steps back, or until the program is over. */
        void progress() {
            while (!over.get() && !leadership.stepsBack()) {
                handover.answer();
                turn();
                while (!woken.getAndSet(false)) {
                    Thread.onSpinWait();
                }
            }
            handover.stepBack();
        }

        /** Does as a thread that waits does, for one turn. */
        void lead() {
            if (handover.take(() -> false, Long.MAX_VALUE)) {
                turn();
                leadership.cede();
            }
        }

        void end() {
            over.set(true);
            woken.set(true);
        }
    }

    /** A candidate whose request or answer is lost sleeps for ever: the scenario hangs. */
    @Test
    void shouldAnswerACandidate() {
        Interleavings.of(Loop::new).thread(Loop::progress).thread(loop -> {
            loop.lead();
            loop.end();
        }).check(loop -> require(loop.leadership.tryLead(), "a thread still leads"));
    }

    @Test
    void shouldAnswerACandidateBesideAnotherOne() {
        Interleavings.of(Loop::new).thread(Loop::progress).thread(Loop::lead).thread(loop -> {
            loop.lead();
            loop.end();
        }).check(loop -> require(loop.leadership.tryLead(), "a thread still leads"));
    }

    /** A candidate that asks when the progress thread has looked for one gets no answer, so it must not sleep. */
    @Test
    void shouldLeaveNoCandidateThatCameTooLate() {
        Interleavings.of(Loop::new).thread(loop -> loop.handover.stepBack()).thread(Loop::lead)
                .check(loop -> require(loop.leadership.tryLead(), "a thread still leads"));
    }
}

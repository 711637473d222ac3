package org.panamaverbs.softiwarp.transport;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class EventStackInterleavingsTest {
    private static final int READABLE = Multiplexer.READABLE;
    private static final int WRITABLE = Multiplexer.WRITABLE;

    /** A stack, and two registrations whose handlers count their events. */
    private static final class Watched {
        private final EventStack stack = new EventStack();
        private final Counts one = new Counts();
        private final Counts other = new Counts();

        void push(Counts watched, int events) {
            stack.push(watched.registration, events);
        }

        void dispatchTwice() {
            stack.dispatchAll();
            stack.dispatchAll();
        }
    }

    private static final class Counts {
        private final Registration registration = new Registration(this::onReady);
        private final AtomicInteger readables = new AtomicInteger();
        private final AtomicInteger writables = new AtomicInteger();
        private volatile boolean calledForNothing;

        // It does not throw: the registration would only log that.
        private void onReady(int events) {
            if ((events & READABLE) != 0) {
                readables.incrementAndGet();
            }
            if ((events & WRITABLE) != 0) {
                writables.incrementAndGet();
            }
            calledForNothing |= events == 0;
        }

        void requireEachOnce() {
            require(readables.get() > 0 && writables.get() > 0, "an event is lost");
            require(readables.get() < 2 && writables.get() < 2, "an event comes twice");
            require(!calledForNothing, "a handler is called for nothing");
        }
    }

    @Test
    void shouldTellEachEventOnce() {
        Interleavings.of(Watched::new).thread(Watched::dispatchTwice).thread(watched -> watched.push(watched.one, READABLE))
                .thread(watched -> watched.push(watched.one, WRITABLE)).check(watched -> {
                    watched.stack.dispatchAll();
                    watched.one.requireEachOnce();
                    require(watched.stack.isEmpty(), "a registration is left");
                });
    }

    @Test
    void shouldTellTheEventsOfTwo() {
        Interleavings.of(Watched::new).thread(Watched::dispatchTwice).thread(watched -> {
            watched.push(watched.one, READABLE);
            watched.push(watched.other, READABLE);
        }).thread(watched -> {
            watched.push(watched.other, WRITABLE);
            watched.push(watched.one, WRITABLE);
        }).check(watched -> {
            watched.stack.dispatchAll();
            watched.one.requireEachOnce();
            watched.other.requireEachOnce();
        });
    }

    /** Registrations are links of the stack: one that is pushed again during its call must not lose those below it. */
    @Test
    void shouldTellTheOtherWhenOneIsPushedAgain() {
        Interleavings.of(() -> {
            Watched watched = new Watched();
            watched.push(watched.other, READABLE | WRITABLE);
            watched.push(watched.one, READABLE);
            return watched;
        }).thread(watched -> watched.stack.dispatchAll()).thread(watched -> watched.push(watched.one, WRITABLE)).check(watched -> {
            watched.stack.dispatchAll();
            watched.one.requireEachOnce();
            watched.other.requireEachOnce();
        });
    }

    /** The handler is told once or twice of an event that comes again, the last time after that. */
    private static final class Repeated {
        private final EventStack stack = new EventStack();
        private final Registration registration = new Registration(this::onReady);
        private int came;
        private int seen;

        private void onReady(int events) {
            seen = came;
        }

        void push() {
            came++;
            stack.push(registration, READABLE);
        }
    }

    @Test
    void shouldTellAnEventThatComesAgain() {
        Interleavings.of(Repeated::new).thread(repeated -> repeated.stack.dispatchAll()).thread(repeated -> {
            repeated.push();
            repeated.push();
        }).check(repeated -> {
            repeated.stack.dispatchAll();
            require(repeated.seen == 2, "an event is lost");
        });
    }
}

package org.panamaverbs;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;
import org.panamaverbs.spi.Described;

/**
 * Threads share a completion queue through a dispatcher. Neither has a timer, so that a thread that would only go on when its time is up
 * hangs.
 */
class DispatcherInterleavingsTest {
    /** A queue of which the threads complete requests themselves: bit n is the completion of request n. */
    private static final class Queue implements CompletionQueue {
        private int completed;
        private boolean woken;
        private boolean closed;
        /** The completions of this turn that the handler has not seen; the leader alone uses it. */
        private int taken;

        synchronized void complete(int request) {
            completed |= 1 << request;
            notifyAll();
        }

        @Override
        public synchronized int await(Completions into, Duration timeout) {
            while (completed == 0 && !woken && !closed) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            if (closed) {
                throw new ClosedException("closed");
            }
            woken = false;
            taken = completed;
            completed = 0;
            Described.of(into).filled(Integer.bitCount(taken));
            return into.count();
        }

        @Override
        public synchronized void wakeup() {
            woken = true;
            notifyAll();
        }

        @Override
        public synchronized void close() {
            closed = true;
            notifyAll();
        }

        @Override
        public Device device() {
            throw new AssertionError();
        }

        @Override
        public int capacity() {
            throw new AssertionError();
        }

        @Override
        public int poll(Completions into) {
            throw new AssertionError();
        }

        @Override
        public Completion take(Duration timeout) {
            throw new AssertionError();
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
            throw new AssertionError();
        }
    }

    /** The threads of a scenario. */
    private static final class Program {
        private final Queue queue = new Queue();
        private final CompletionDispatcher dispatcher = new CompletionDispatcher(queue, 4, this::handle, this::onTurn, Long.MAX_VALUE);
        private volatile int done;
        private volatile boolean ending;
        private final AtomicInteger tasks = new AtomicInteger();
        private final AtomicInteger leaders = new AtomicInteger();
        private volatile int outcomes;

        private void handle(Completions completion) {
            require(leaders.incrementAndGet() == 1, "two threads lead");
            int request = Integer.lowestOneBit(queue.taken);
            queue.taken &= ~request;
            done = done | request;
            leaders.decrementAndGet();
        }

        private void onTurn() {
            require(leaders.incrementAndGet() == 1, "two threads lead");
            tasks.set(0);
            leaders.decrementAndGet();
        }

        void complete(int request) {
            queue.complete(request);
        }

        void await(int request) {
            require(dispatcher.await(() -> (done & 1 << request) != 0, Verbs.FOREVER), "an outcome is lost");
        }

        void call(int request) {
            complete(request);
            await(request);
        }

        void awaitClosed(int request) {
            try {
                await(request);
            } catch (ClosedException e) {
                return;
            }
            throw new AssertionError("the queue is closed");
        }

        void serve() {
            dispatcher.serve(() -> ending);
        }

        void end() {
            ending = true;
            dispatcher.wakeup();
        }

        /** Gives a leader a task, and waits until it is done. */
        void execute() {
            tasks.set(1);
            dispatcher.wakeup();
            while (tasks.get() != 0) {
                Thread.onSpinWait();
            }
        }

        void requireNoLeader() {
            // A thread that leads, or that is believed to, would leave this one waiting.
            require(!dispatcher.isLeader(), "the lead is not given back");
            complete(3);
            await(3);
        }
    }

    @Test
    void shouldGiveTwoThreadsTheirOutcomes() {
        Interleavings.of(Program::new).thread(program -> program.call(0)).thread(program -> program.call(1))
                .check(Program::requireNoLeader);
    }

    @Test
    void shouldGiveThreeThreadsTheirOutcomes() {
        Interleavings.of(Program::new).thread(program -> program.call(0)).thread(program -> program.call(1))
                .thread(program -> program.call(2)).check(Program::requireNoLeader);
    }

    @Test
    void shouldGiveThreadsWhatAThirdOneCompletes() {
        Interleavings.of(Program::new).thread(program -> program.await(0)).thread(program -> program.await(1)).thread(program -> {
            program.complete(1);
            program.complete(0);
        }).check(Program::requireNoLeader);
    }

    @Test
    void shouldGiveAThreadItsOutcomeWhileTheLeaderStillWaits() {
        Interleavings.of(Program::new).thread(program -> program.await(0)).thread(program -> {
            program.await(1);
            program.complete(0);
        }).thread(program -> program.complete(1)).check(Program::requireNoLeader);
    }

    @Test
    void shouldTellAllThreadsThatTheQueueIsClosed() {
        Interleavings.of(Program::new).thread(program -> program.awaitClosed(0)).thread(program -> program.awaitClosed(1))
                .thread(program -> program.queue.close()).check(_ -> {
                });
    }

    @Test
    void shouldTakeTheLeadFromTheServingThread() {
        Interleavings.of(Program::new).thread(program -> {
            program.call(0);
            program.end();
        }).thread(Program::serve).check(Program::requireNoLeader);
    }

    @Test
    void shouldLeaveNoTaskAloneWhenAWaitingThreadLeaves() {
        Interleavings.of(Program::new).thread(program -> {
            program.execute();
            program.end();
        }).thread(Program::serve).thread(program -> program.call(0)).check(Program::requireNoLeader);
    }
}

package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionDispatcher;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.Verbs;
import org.panamaverbs.WaitInterruptedException;

/** Threads that share a completion queue through a dispatcher. */
abstract class DispatcherContract extends ContractTest {
    private static final int THREADS = 6;

    private Link link;
    private MemoryRegion local;
    private MemoryRegion remote;
    private CompletionDispatcher dispatcher;
    /** How many requests of each thread are complete. */
    private final AtomicIntegerArray done = new AtomicIntegerArray(THREADS);
    /** The thread that runs the handler. */
    private final AtomicReference<Thread> handling = new AtomicReference<>();
    private volatile Thread last;

    @BeforeEach
    void connectAndShare() {
        link = connect();
        local = client.region(THREADS * 8L);
        remote = server.region(THREADS * 8L);
        dispatcher = new CompletionDispatcher(link.client().sendQueue, 4, this::onCompletion, () -> {
        });
    }

    private void onCompletion(Completions completion) {
        assertTrue(handling.compareAndSet(null, Thread.currentThread()), "two threads take completions");
        assertTrue(dispatcher.isLeader());
        assertTrue(completion.isSuccess(), () -> completion.status().text());
        last = Thread.currentThread();
        done.incrementAndGet((int) completion.id());
        handling.set(null);
    }

    private void write(int thread) {
        link.client().write(thread, local, thread * 8L, 8, remote, thread * 8L);
    }

    private boolean await(int thread, int count, Duration timeout) {
        return dispatcher.await(() -> done.get(thread) >= count, timeout);
    }

    private Void writeAndAwait(int thread, int rounds) {
        for (int i = 1; i <= rounds; i++) {
            write(thread);
            assertTrue(await(thread, i, LIMIT), "an outcome is lost");
        }
        return null;
    }

    private Background<Boolean> waiting(int thread, boolean virtual) {
        return (virtual ? Background.startVirtual(() -> await(thread, 1, Verbs.FOREVER))
                : Background.start(() -> await(thread, 1, Verbs.FOREVER))).settled();
    }

    private Background<Void> serving(AtomicBoolean ending) {
        Background<Void> serving = Background.start(() -> {
            dispatcher.serve(ending::get);
            return null;
        });
        return serving.settled();
    }

    @Test
    void shouldGiveEachThreadItsOutcome() {
        int rounds = rounds(300);
        for (boolean virtual : new boolean[] { false, true }) {
            List<Background<Void>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                done.set(thread, 0);
                all.add(virtual && i % 2 == 1 ? Background.startVirtual(() -> writeAndAwait(thread, rounds))
                        : Background.start(() -> writeAndAwait(thread, rounds)));
            }
            all.forEach(Background::get);
        }
    }

    @Test
    void shouldGiveEachThreadItsOutcomeWhileAnotherOneServes() {
        AtomicBoolean ending = new AtomicBoolean();
        Background<Void> serving = serving(ending);
        List<Background<Void>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            all.add(Background.start(() -> writeAndAwait(thread, rounds(300))));
        }
        all.forEach(Background::get);
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
    }

    @Test
    void shouldTakeCompletionsInAThreadThatWaitsAlone() {
        writeAndAwait(0, rounds(50));
        assertSame(Thread.currentThread(), last);
    }

    @Test
    void shouldPassTheLeadOnWhenTheLeaderHasItsOutcome() {
        for (boolean virtual : new boolean[] { false, true }) {
            done.set(0, 0);
            done.set(1, 0);
            Background<Boolean> leader = waiting(0, virtual);
            Background<Boolean> follower = waiting(1, virtual);
            write(0);
            assertTrue(leader.get());
            follower.settled();
            assertFalse(follower.isDone());
            write(1);
            assertTrue(follower.get());
        }
    }

    @Test
    void shouldTellAFollowerThatItsOutcomeIsThere() {
        Background<Boolean> leader = waiting(0, false);
        Background<Boolean> follower = waiting(1, false);
        write(1);
        assertTrue(follower.get());
        assertFalse(leader.isDone());
        write(0);
        assertTrue(leader.get());
    }

    @Test
    void shouldEndOneWaitByAnInterrupt() {
        for (boolean virtual : new boolean[] { false, true }) {
            for (int interrupted = 0; interrupted < 2; interrupted++) {
                done.set(0, 0);
                done.set(1, 0);
                List<Background<Boolean>> both = List.of(waiting(0, virtual), waiting(1, virtual));
                both.get(interrupted).interrupt();
                both.get(interrupted).getThrown(WaitInterruptedException.class);
                assertFalse(both.get(1 - interrupted).isDone());
                write(1 - interrupted);
                assertTrue(both.get(1 - interrupted).get());
            }
        }
    }

    @Test
    void shouldEndAWaitWhenTheTimeIsUp() {
        for (Duration limit : new Duration[] { Duration.ZERO, MOMENT }) {
            assertFalse(await(0, 1, limit), "of a leader");
        }
        Background<Boolean> leader = waiting(0, false);
        for (Duration limit : new Duration[] { Duration.ZERO, MOMENT }) {
            long start = System.nanoTime();
            assertFalse(await(1, 1, limit), "of a follower");
            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            assertTrue(elapsed.plusMillis(20).compareTo(limit) >= 0 && elapsed.compareTo(LIMIT) < 0, elapsed::toString);
        }
        write(0);
        assertTrue(leader.get());
        assertThrows(IllegalArgumentException.class, () -> await(0, 2, Duration.ofNanos(-1)));
    }

    @Test
    void shouldTellEachThreadWithItsOwnStackThatTheQueueIsClosed() {
        List<Background<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(waiting(i, i % 2 == 1));
        }
        link.client().sendQueue.close();
        List<ClosedException> thrown = new ArrayList<>();
        for (Background<Boolean> each : all) {
            ClosedException own = each.getThrown(ClosedException.class);
            assertTrue(List.of(own.getStackTrace()).stream().anyMatch(frame -> frame.getMethodName().contains("waiting")));
            assertFalse(thrown.contains(own), "two threads share an exception");
            thrown.add(own);
        }
        assertThrows(ClosedException.class, () -> await(0, 1, Duration.ZERO));
    }

    @Test
    void shouldEndAWaitByAWakeup() {
        AtomicBoolean changed = new AtomicBoolean();
        Background<Boolean> leader = waiting(0, false);
        Background<Boolean> follower = Background.start(() -> dispatcher.await(changed::get, Verbs.FOREVER)).settled();
        changed.set(true);
        dispatcher.wakeup();
        assertTrue(follower.get());
        done.set(0, 1);
        dispatcher.wakeup();
        assertTrue(leader.get());
    }

    @Test
    void shouldServeOutcomesThatNoThreadWaitsFor() {
        AtomicBoolean ending = new AtomicBoolean();
        Background<Void> serving = serving(ending);
        for (int i = 1; i <= rounds(20); i++) {
            write(0);
            dispatcher.expect();
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (done.get(0) < i) {
                assertTrue(System.nanoTime() - deadline < 0, "no thread takes it");
                Thread.onSpinWait();
            }
            // The serving thread makes way, and leads again when it is told.
            write(1);
            assertTrue(await(1, i, LIMIT));
        }
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
        assertEquals(rounds(20), done.get(0));
    }
}

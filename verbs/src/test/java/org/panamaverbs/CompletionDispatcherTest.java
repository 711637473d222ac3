package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

/** On a queue whose completions the test makes. {@code DispatcherContract} proves the same on every provider. */
class CompletionDispatcherTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long WAKEUP = -1;

    /** Numbers of requests that have completed. */
    private final BlockingQueue<Long> completed = new LinkedBlockingQueue<>();
    private final CompletionQueue queue = (CompletionQueue) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] { CompletionQueue.class }, (_, method, arguments) -> switch (method.getName()) {
                case "await" -> take((Completions) arguments[0], (Duration) arguments[1]);
                case "poll" -> take((Completions) arguments[0], Duration.ZERO);
                case "wakeup" -> completed.add(WAKEUP);
                default -> throw new AssertionError(method);
            });
    /** Those that the handler has seen. */
    private final List<Long> handled = Collections.synchronizedList(new ArrayList<>());
    private final Set<Thread> leaders = ConcurrentHashMap.newKeySet();
    private final AtomicInteger turns = new AtomicInteger();
    private volatile RuntimeException failure;
    private final CompletionDispatcher dispatcher = new CompletionDispatcher(queue, 4, this::handle, turns::incrementAndGet);

    private int take(Completions into, Duration timeout) {
        List<Long> all = new ArrayList<>();
        try {
            Long first = completed.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (first != null) {
                all.add(first);
                completed.drainTo(all, 3);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(e);
        }
        all.removeIf(id -> id == WAKEUP);
        for (int i = 0; i < all.size(); i++) {
            Described.of(into).memory().set(ValueLayout.JAVA_LONG, i * CompletionBuffer.SIZE + CompletionBuffer.ID, all.get(i));
        }
        Described.of(into).filled(all.size());
        return all.size();
    }

    private void handle(Completions completion) {
        handled.add(completion.id());
        leaders.add(Thread.currentThread());
        if (failure != null) {
            RuntimeException thrown = failure;
            failure = null;
            throw thrown;
        }
    }

    private boolean await(long id) {
        return dispatcher.await(() -> handled.contains(id), LIMIT);
    }

    /** Starts a thread, and returns once it waits. */
    private static <T> FutureTask<T> waiting(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = Thread.ofPlatform().daemon().start(task);
        while (thread.getState() != Thread.State.TIMED_WAITING && !task.isDone()) {
            Thread.onSpinWait();
        }
        return task;
    }

    private FutureTask<Object> serving(AtomicBoolean ending) {
        return waiting(() -> {
            dispatcher.serve(ending::get);
            return null;
        });
    }

    @Test
    void shouldNotWaitIfTheConditionHolds() {
        completed.add(1L);
        assertTrue(dispatcher.await(() -> true, LIMIT));
        assertEquals(0, turns.get());
    }

    @Test
    void shouldTakeWhatIsThereInNoTime() {
        completed.add(1L);
        assertTrue(dispatcher.await(() -> handled.contains(1L), Duration.ZERO));
        assertFalse(dispatcher.await(() -> handled.contains(2L), Duration.ZERO));
    }

    @Test
    void shouldPassOnWhatAFailedHandlerHasLeft() throws Exception {
        failure = new IllegalStateException("failed");
        FutureTask<Boolean> leader = waiting(() -> await(9));
        FutureTask<Boolean> follower = waiting(() -> await(2));
        completed.addAll(List.of(1L, 2L));
        assertSame(IllegalStateException.class, assertThrows(ExecutionException.class, leader::get).getCause().getClass());
        assertTrue(follower.get());
        assertEquals(List.of(1L, 2L), handled);
        assertTrue(turns.get() >= 2, "a turn that failed has an end, too");
    }

    @Test
    void shouldRefuseAWaitInTheHandler() {
        CompletionDispatcher[] own = new CompletionDispatcher[1];
        own[0] = new CompletionDispatcher(queue, 1, _ -> own[0].await(() -> false, LIMIT), () -> {
        });
        completed.add(1L);
        assertThrows(IllegalStateException.class, () -> own[0].await(() -> false, LIMIT));
        assertFalse(own[0].isLeader());
    }

    @Test
    void shouldThrowWhatAConditionThrowsOnItsOwnThread() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        FutureTask<Boolean> leader = waiting(() -> await(1));
        FutureTask<Boolean> follower = waiting(() -> dispatcher.await(() -> {
            if (broken.get()) {
                throw new ArithmeticException();
            }
            return false;
        }, LIMIT));
        broken.set(true);
        dispatcher.wakeup();
        assertSame(ArithmeticException.class, assertThrows(ExecutionException.class, follower::get).getCause().getClass());
        completed.add(1L);
        assertTrue(leader.get());
    }

    @Test
    void shouldServeSoonWhenNoThreadWaits() throws Exception {
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = serving(ending);
        completed.add(1L);
        while (!handled.contains(1L)) {
            Thread.onSpinWait();
        }
        assertThrows(IllegalStateException.class, () -> dispatcher.serve(() -> true), "a second thread that serves");
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
        dispatcher.serve(() -> true);
    }

    @Test
    void shouldTakeTheLeadFromTheServingThread() throws Exception {
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = serving(ending);
        completed.add(1L);
        while (!handled.contains(1L)) {
            Thread.onSpinWait();
        }
        leaders.clear();
        FutureTask<Thread> waiting = waiting(() -> {
            assertTrue(dispatcher.await(() -> handled.contains(2L) && handled.contains(3L), LIMIT));
            return Thread.currentThread();
        });
        // Whether the thread leads already or is about to, it takes the last one.
        completed.add(2L);
        while (!handled.contains(2L)) {
            Thread.onSpinWait();
        }
        leaders.clear();
        completed.add(3L);
        assertEquals(Set.of(waiting.get()), leaders);
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
    }

    @Test
    void shouldServeSoonAfterALeaderThatHasWaitedLong() throws Exception {
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = serving(ending);
        FutureTask<Boolean> leader = waiting(() -> await(1));
        // Ten times as long as the serving thread watches.
        Thread.sleep(40);
        completed.add(1L);
        assertTrue(leader.get());
        leaders.clear();
        completed.add(2L);
        while (!handled.contains(2L)) {
            Thread.onSpinWait();
        }
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
    }

    @Test
    void shouldServeAtOnceWhenTheLeaderLeavesWorkBehind() throws Exception {
        // The serving thread has no timer: another thread has to wake it.
        CompletionDispatcher timeless = new CompletionDispatcher(queue, 4, this::handle, () -> {
        }, Long.MAX_VALUE);
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = new FutureTask<>(() -> {
            timeless.serve(ending::get);
            return null;
        });
        Thread server = Thread.ofPlatform().daemon().start(serving);
        while (server.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        FutureTask<Boolean> leader = waiting(() -> timeless.await(() -> handled.contains(1L), LIMIT));
        timeless.wakeup();
        completed.add(1L);
        assertTrue(leader.get());
        leaders.clear();
        completed.add(2L);
        while (!handled.contains(2L)) {
            Thread.onSpinWait();
        }
        assertEquals(Set.of(server), leaders);
        ending.set(true);
        timeless.wakeup();
        serving.get();
    }

    /** Its carrier may be busy for long, and all threads would wait for it. */
    @Test
    void shouldNotLetAVirtualThreadLeadBesideOneThatServes() throws Exception {
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = serving(ending);
        FutureTask<Boolean> follower = new FutureTask<>(() -> await(2));
        Thread.startVirtualThread(follower);
        FutureTask<Boolean> leader = waiting(() -> await(1));
        completed.add(1L);
        assertTrue(leader.get());
        completed.add(2L);
        assertTrue(follower.get());
        assertTrue(leaders.stream().noneMatch(Thread::isVirtual), leaders::toString);
        ending.set(true);
        dispatcher.wakeup();
        serving.get();
    }

    @Test
    void shouldLetAVirtualThreadLeadIfNoneServes() throws Exception {
        FutureTask<Boolean> waiting = new FutureTask<>(() -> await(1));
        Thread.startVirtualThread(waiting);
        completed.add(1L);
        assertTrue(waiting.get());
        assertTrue(leaders.stream().allMatch(Thread::isVirtual), leaders::toString);
    }

    @Test
    void shouldServeAVirtualThreadAtOnceWhenTheLeaderLeaves() throws Exception {
        // The serving thread has no timer: another thread has to wake it.
        CompletionDispatcher timeless = new CompletionDispatcher(queue, 4, this::handle, () -> {
        }, Long.MAX_VALUE);
        AtomicBoolean ending = new AtomicBoolean();
        FutureTask<Object> serving = new FutureTask<>(() -> {
            timeless.serve(ending::get);
            return null;
        });
        Thread server = Thread.ofPlatform().daemon().start(serving);
        while (server.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        FutureTask<Boolean> leader = waiting(() -> timeless.await(() -> handled.contains(1L), LIMIT));
        FutureTask<Boolean> follower = new FutureTask<>(() -> timeless.await(() -> handled.contains(2L), LIMIT));
        Thread.startVirtualThread(follower);
        completed.add(1L);
        assertTrue(leader.get());
        leaders.clear();
        completed.add(2L);
        assertTrue(follower.get());
        assertEquals(Set.of(server), leaders);
        ending.set(true);
        timeless.wakeup();
        serving.get();
    }

    @Test
    void shouldTellAVirtualThreadWhyNoneServesAnyMore() throws Exception {
        FutureTask<Object> serving = serving(new AtomicBoolean());
        FutureTask<Boolean> follower = new FutureTask<>(() -> dispatcher.await(() -> handled.contains(9L), LIMIT));
        Thread.startVirtualThread(follower);
        failure = new ClosedException("of the test");
        completed.add(1L);
        assertThrows(ExecutionException.class, serving::get);
        failure = new ClosedException("of the test");
        completed.add(2L);
        assertSame(ClosedException.class, assertThrows(ExecutionException.class, follower::get).getCause().getClass());
    }
}

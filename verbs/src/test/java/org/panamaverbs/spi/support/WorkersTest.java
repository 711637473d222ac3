package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkersTest {
    private static Thread threadOf(CompletableFuture<Thread> task) throws Exception {
        return task.get(60, TimeUnit.SECONDS);
    }

    /** A task of the test before may be about to end. */
    @BeforeEach
    void awaitWorkers() {
        awaitWorkers(0);
    }

    /** Waits until so many threads at most have a task. */
    private static void awaitWorkers(int most) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().matches("panama-verbs-\\d+") && LockSupport.getBlocker(each) != Workers.class)
                .count() > most) {
            assertTrue(System.nanoTime() < end, () -> "more than " + most + " threads have a task");
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldRunTasksInDaemonPlatformThreads() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        Workers.execute(() -> ran.complete(Thread.currentThread()));
        assertFalse(threadOf(ran).isVirtual());
        assertTrue(threadOf(ran).isDaemon());
    }

    @Test
    void shouldRunATaskWhileAnyNumberOfOthersBlock() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<CompletableFuture<Thread>> blocked = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                CompletableFuture<Thread> begun = new CompletableFuture<>();
                blocked.add(begun);
                Workers.execute(() -> {
                    begun.complete(Thread.currentThread());
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            for (CompletableFuture<Thread> each : blocked) {
                threadOf(each);
            }
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            new Workers.Task(() -> ran.complete(Thread.currentThread())).submit();
            threadOf(ran);
        } finally {
            end.countDown();
        }
    }

    @Test
    void shouldNotStartThreadsForManyShortTasks() throws Exception {
        int count = 1_000;
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        CountDownLatch runs = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Workers.execute(() -> {
                threads.add(Thread.currentThread());
                LockSupport.parkNanos(500_000);
                runs.countDown();
            });
        }
        assertTrue(runs.await(60, TimeUnit.SECONDS));
        // One for each processor, and one more for each millisecond that a task takes on a busy machine.
        int most = Runtime.getRuntime().availableProcessors() + 24;
        assertTrue(threads.size() < most, () -> threads.size() + " threads for " + count + " short tasks");
    }

    @Test
    void shouldAllowNoMoreThreadsThanNeededOnceTasksThatBlockedHaveEnded() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        CountDownLatch some = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        int staying = processors + 2;
        CountDownLatch begun = new CountDownLatch(staying + 58);
        for (int i = 0; i < staying + 58; i++) {
            CountDownLatch end = i < staying ? others : some;
            Workers.execute(() -> {
                begun.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        try {
            assertTrue(begun.await(60, TimeUnit.SECONDS));
            assertTrue(Workers.limit() >= staying + 58);
            some.countDown();
            awaitWorkers(staying);
            assertEquals(staying + 1, Workers.limit());
        } finally {
            others.countDown();
        }
    }

    /** Tasks name what they work on, and one that waits knows the one behind it. */
    @Test
    void shouldForgetTasksThatHaveRun() throws Exception {
        CountDownLatch begin = new CountDownLatch(1);
        for (int i = 0; i < Runtime.getRuntime().availableProcessors() + 2; i++) {
            Workers.execute(() -> {
                try {
                    begin.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        int count = 1_000;
        CountDownLatch runs = new CountDownLatch(count);
        List<Workers.Task> kept = new ArrayList<>();
        List<WeakReference<Object>> named = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Object[] work = new Object[1];
            Workers.Task task = new Workers.Task(() -> {
                work[0] = runs;
                runs.countDown();
            });
            task.submit();
            if (i % 10 == 0) {
                kept.add(task);
            } else {
                named.add(new WeakReference<>(work));
            }
        }
        begin.countDown();
        assertTrue(runs.await(60, TimeUnit.SECONDS));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (named.stream().anyMatch(work -> work.get() != null)) {
            assertTrue(System.nanoTime() < end, () -> named.stream().filter(work -> work.get() != null).count() + " are kept");
            System.gc();
            Thread.sleep(10);
        }
        assertEquals(count, kept.size() + named.size());
    }

    @Test
    void shouldUseAnIdleThreadAgain() throws Exception {
        Thread before = null;
        for (int i = 0; i < 1000; i++) {
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            Workers.execute(() -> ran.complete(Thread.currentThread()));
            Thread used = threadOf(ran);
            while (used.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            if (used == before) {
                return;
            }
            before = used;
        }
        throw new AssertionError("each task had a thread of its own");
    }

    @Test
    void shouldGoOnAfterATaskThatFailsOrInterruptsItsThread() throws Exception {
        for (int i = 0; i < 20; i++) {
            Workers.execute(() -> {
                Thread.currentThread().interrupt();
                throw new OutOfMemoryError("as a test wants");
            });
        }
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Workers.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
        assertEquals(false, interrupted.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldRunATaskAsOftenAsItIsSubmitted() throws Exception {
        CountDownLatch runs = new CountDownLatch(3);
        Workers.Task[] task = new Workers.Task[1];
        task[0] = new Workers.Task(() -> {
            runs.countDown();
            if (runs.getCount() > 0) {
                task[0].submit();
            }
        });
        task[0].submit();
        assertTrue(runs.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldStartAThreadThatLasts() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        Thread thread = Workers.start("a listener", () -> ran.complete(Thread.currentThread()));
        assertSame(thread, threadOf(ran));
        assertEquals("a listener", thread.getName());
        assertTrue(thread.isDaemon());
    }
}

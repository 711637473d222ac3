package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.VerbsException;

/** Something that another thread does meanwhile. */
final class Background<T> {
    private final CountDownLatch started = new CountDownLatch(1);
    private final FutureTask<T> task;
    private final Thread thread;

    private Background(Thread.Builder builder, Callable<T> work) {
        task = new FutureTask<>(() -> {
            started.countDown();
            return work.call();
        });
        thread = builder.unstarted(task);
    }

    /** Starts it on a platform thread. */
    static <T> Background<T> start(Callable<T> work) {
        return start(Thread.ofPlatform().daemon().name("background"), work);
    }

    /** Starts it on a virtual thread. */
    static <T> Background<T> startVirtual(Callable<T> work) {
        return start(Thread.ofVirtual().name("background"), work);
    }

    private static <T> Background<T> start(Thread.Builder builder, Callable<T> work) {
        Background<T> background = new Background<>(builder, work);
        background.thread.start();
        return background;
    }

    /**
     * Gives a thread that is about to wait the chance to do so. A wait inside a system call does not show in a thread's state, so this
     * gives up after a moment: the tested property must hold whether or not the wait has begun, only most likely it has.
     */
    Background<T> settled() {
        try {
            if (!started.await(ContractTest.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                fail("the thread did not start");
            }
            long deadline = System.nanoTime() + ContractTest.MOMENT.toNanos();
            while (!isWaiting() && !task.isDone() && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        return this;
    }

    private boolean isWaiting() {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return task.isDone();
    }

    /** Its result, which must come in time; what it threw is thrown here. */
    T get() {
        try {
            return task.get(ContractTest.LIMIT.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            AssertionError hangs = new AssertionError("it never returned", e);
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw new AssertionError(e.getCause());
            }
        }
    }

    /** Asserts that it throws, and that a {@link VerbsException} leads to its own thread. */
    <E extends Throwable> E getThrown(Class<E> type) {
        T result;
        try {
            result = get();
        } catch (Throwable thrown) {
            E expected = assertInstanceOf(type, thrown);
            if (thrown instanceof VerbsException) {
                ContractTest.assertOfCaller(thrown, Background.class);
            }
            return expected;
        }
        return fail("should have thrown " + type.getSimpleName() + ", but returned " + result);
    }
}

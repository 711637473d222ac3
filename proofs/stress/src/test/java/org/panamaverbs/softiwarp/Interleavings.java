package org.panamaverbs.softiwarp;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;

/**
 * A scenario: some threads and the objects that they share. Lincheck explores its interleavings. One thread runs at a time, and Lincheck
 * chooses after which access to shared memory another one goes on. It begins with schedules of few switches, repeats none, and stops when
 * it has tried all or when the limit is reached. A failure prints the schedule that leads to it. Threads that wait for each other forever
 * are a failure, too.
 *
 * <p>Lincheck does not do two things that {@link MemoryOrderTest} does. It makes every access sequentially consistent: nothing depends on
 * a fence. And it switches threads at accesses to fields, elements of arrays, locks and the atomic classes, but not at accesses to memory
 * segments.
 *
 * @param <S> the object that the threads share
 */
public final class Interleavings<S> implements Runnable {
    /** The most schedules of a scenario; {@code -Pstress} sets more. */
    private static final int LIMIT = Integer.getInteger("stress.schedules", 100);

    /**
     * The object that the threads share. Lincheck switches threads at accesses to objects that it finds from here. It cannot look into the
     * hidden classes of lambdas: an object that is shared only because a lambda has captured it counts as one thread's own.
     */
    private static volatile Object shared;
    /** Why the last schedule failed; {@code null} if none did. */
    private static volatile Throwable failed;

    private final Supplier<S> state;
    /** Nothing reads it. But Lincheck runs this object, and instruments the classes of all objects that it can reach from here. */
    private final S sample;
    private final List<Consumer<S>> parts = new ArrayList<>();
    private Consumer<S> outcome;

    private Interleavings(Supplier<S> state) {
        this.state = state;
        this.sample = state.get();
    }

    /** Begins a scenario. The supplier makes the object that the threads share; each schedule calls it. */
    public static <S> Interleavings<S> of(Supplier<S> state) {
        return new Interleavings<>(state);
    }

    /** Adds the part of one thread. The first part is for the thread that made the state. */
    public Interleavings<S> thread(Consumer<S> part) {
        parts.add(part);
        return this;
    }

    /** Explores the scenario. After each schedule it calls {@code outcome}, which fails if the schedule led to a wrong state. */
    public void check(Consumer<S> outcome) {
        this.outcome = outcome;
        failed = null;
        try {
            Lincheck.runConcurrentTest(LIMIT, this);
        } catch (RuntimeException e) {
            // Lincheck 3.7 has found a schedule that fails, and cannot print it. So it is with some that hang, whose run() never returns.
            String reason = failed == null ? "the scenario has hung, or Lincheck has failed" : failed.getMessage();
            throw new AssertionError(reason + "; Lincheck cannot print the schedule", e);
        }
    }

    /** Runs the scenario once. */
    @Override
    public void run() {
        S made = state.get();
        shared = made;
        try {
            run(made);
            outcome.accept(made);
        } catch (RuntimeException | Error e) {
            failed = e;
            throw e;
        }
    }

    private void run(S made) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[parts.size() - 1];
        for (int i = 0; i < threads.length; i++) {
            Consumer<S> part = parts.get(i + 1);
            threads[i] = new Thread(() -> run(part, made, failure));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        run(parts.get(0), made, failure);
        for (Thread thread : threads) {
            join(thread);
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get().getMessage(), failure.get());
        }
    }

    /** Keeps the first exception of the threads: Lincheck ignores exceptions. */
    private static <S> void run(Consumer<S> part, S made, AtomicReference<Throwable> failure) {
        try {
            part.accept(made);
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Fails the scenario if a condition does not hold. JUnit's assertions would add their own accesses to each schedule. */
    public static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}

package org.panamaverbs.softiwarp;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;

/**
 * A scenario of which Lincheck explores the interleavings: some threads, and what they share. One thread runs at a time, and Lincheck
 * chooses after which access to shared memory another one goes on. It begins with schedules of few switches, repeats none, and stops when
 * it has seen all or when the limit is reached. A failure prints the schedule that leads to it. Threads that wait for each other forever
 * are a failure, too.
 *
 * <p>Two things it does not do, which {@link MemoryOrderTest} does. Every access is sequentially consistent here: nothing depends on a
 * fence. And it switches threads at accesses to fields, elements of arrays, locks and the atomic classes, but not at those to memory
 * segments.
 *
 * @param <S> what the threads share
 */
public final class Interleavings<S> implements Runnable {
    /** The most schedules of a scenario; {@code -Pstress} sets more. */
    private static final int LIMIT = Integer.getInteger("stress.schedules", 100);

    /**
     * What the threads share. Lincheck switches threads at accesses to objects that it finds from here. It cannot look into the hidden
     * classes of lambdas: an object that is shared only because a lambda has captured it counts as one thread's own.
     */
    private static volatile Object shared;

    private final Supplier<S> state;
    /** Not used, but found: Lincheck instruments the classes of what it can reach from the object that it runs. */
    private final S sample;
    private final List<Consumer<S>> parts = new ArrayList<>();
    private Consumer<S> outcome;

    private Interleavings(Supplier<S> state) {
        this.state = state;
        this.sample = state.get();
    }

    /** Begins a scenario. The supplier makes all that the threads share; it is called for each schedule. */
    public static <S> Interleavings<S> of(Supplier<S> state) {
        return new Interleavings<>(state);
    }

    /** Adds what one thread does. The first one is the thread that made the state. */
    public Interleavings<S> thread(Consumer<S> part) {
        parts.add(part);
        return this;
    }

    /** Explores the scenario. After each schedule it calls {@code outcome}, which fails if the schedule led to something wrong. */
    public void check(Consumer<S> outcome) {
        this.outcome = outcome;
        Lincheck.runConcurrentTest(LIMIT, this);
    }

    /** Runs the scenario once. */
    @Override
    public void run() {
        S made = state.get();
        shared = made;
        run(made);
        outcome.accept(made);
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

    /** Lincheck ignores what a thread throws. */
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

package org.panamaverbs.nio;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.panamaverbs.ResourceException;
import org.panamaverbs.spi.support.Workers;

/**
 * The waits of threads that may hold the blocking lock of their channel ({@link java.nio.channels.SelectableChannel#blockingLock}).
 *
 * <p>The streams of {@link java.nio.channels.Channels} hold this lock while they read or write, unless the channel is of the JDK's own class:
 * a reader would keep each writer out. So a thread of such a stream gives the lock away while it waits. It can do so by
 * {@link Object#wait()} alone, and no thread of a loop may take the lock to notify it, since a program can hold the lock for long. Therefore
 * a helper waits in its place, and takes the lock when the wait is over.
 *
 * <p>A program that holds the lock itself keeps it, as on the JDK's channels. The exception: a thread that has given the lock away needs it
 * to go on. So while there is one, each thread gives it away, or the two would wait for each other.
 */
// Tested by OverlapTest.
final class BlockingLock {
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String OWN = BlockingLock.class.getPackageName() + ".";
    private static final String JDK = JdkProvider.PACKAGE + ".";
    private static final Set<String> STREAMS = Set.of(JDK + "ChannelInputStream", JDK + "ChannelOutputStream");

    private final Object lock;
    /** How many threads have given the lock away. Guarded by the lock. */
    private int waiting;

    BlockingLock(Object lock) {
        this.lock = lock;
    }

    /** A call that may wait. */
    @FunctionalInterface
    interface Call<T> {
        T run() throws IOException;
    }

    /** {@return whether the calling thread holds the lock} */
    boolean isHeld() {
        return Thread.holdsLock(lock);
    }

    /** {@return whether the calling thread holds the lock, and has to wait without it} */
    boolean givesWay() {
        return Thread.holdsLock(lock) && (waiting > 0 || isInStream());
    }

    private static boolean isInStream() {
        return WALKER.walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                .takeWhile(name -> name.startsWith(OWN) || name.startsWith(JDK)).anyMatch(STREAMS::contains));
    }

    /** Takes a permit. As a lock, this ignores interrupts. */
    void acquire(Semaphore permit) throws IOException {
        if (permit.tryAcquire()) {
            return;
        }
        if (givesWay()) {
            awaitWithout(() -> {
                permit.acquireUninterruptibly();
                return true;
            });
        } else {
            permit.acquireUninterruptibly();
        }
    }

    /** A call, made by a helper. */
    private final class Errand<T> implements Runnable {
        private final Call<T> call;
        // Guarded by the lock.
        private boolean done;
        private T result;
        private Throwable failure;

        Errand(Call<T> call) {
            this.call = call;
        }

        @Override
        public void run() {
            T value = null;
            Throwable problem = null;
            try {
                value = call.run();
            } catch (Throwable e) {
                problem = e;
            }
            synchronized (lock) {
                result = value;
                failure = problem;
                done = true;
                lock.notifyAll();
            }
        }
    }

    /**
     * Makes a call by a helper, while the lock, which the calling thread holds, is free. An interrupt does not end it: it closes the channel,
     * and thereby ends the call.
     */
    <T> T awaitWithout(Call<T> call) throws IOException {
        Errand<T> errand = new Errand<>(call);
        try {
            Workers.execute(errand);
        } catch (ResourceException e) {
            throw new IOException(e.getMessage(), e);
        }
        boolean interrupted = false;
        waiting++;
        while (!errand.done) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        waiting--;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (errand.failure) {
            case null -> {
                return errand.result;
            }
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(errand.failure);
        }
    }
}

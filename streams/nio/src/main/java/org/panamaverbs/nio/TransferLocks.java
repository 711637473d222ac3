package org.panamaverbs.nio;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/**
 * The locks of a channel's bytes: one thread at a time reads, and one writes; others wait for it. A thread may hold the blocking lock of
 * the channel as well ({@link java.nio.channels.SelectableChannel#blockingLock}).
 *
 * <p>The streams of {@link java.nio.channels.Channels} hold the blocking lock while they read or write, unless the channel is of the JDK's own class:
 * a reader would keep each writer out. So a thread of such a stream gives the lock away while it waits. It can do so by
 * {@link Object#wait()} alone, and no thread of a loop may take the lock to notify it, since a program can hold the lock for long. Therefore
 * a helper waits in its place, and takes the lock when the wait is over.
 *
 * <p>A program that holds the lock itself keeps it, as on the JDK's channels. The exception: a thread that has given the lock away needs it
 * to go on. So while there is one, each thread gives it away, or the two would wait for each other.
 */
// Tested by OverlapTest.
final class TransferLocks {
    /** How long a thread waits in the blocking lock if no other thread writes. */
    static final Duration BRIEF = Duration.ofMillis(1);

    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String OWN = TransferLocks.class.getPackageName() + ".";
    private static final String JDK = JdkProvider.PACKAGE + ".";
    private static final Set<String> STREAMS = Set.of(JDK + "ChannelInputStream", JDK + "ChannelOutputStream");

    // A helper may take them for the thread that needs them, which a lock does not allow.
    private final Semaphore reading = new Semaphore(1);
    private final Semaphore writing = new Semaphore(1);
    /** The thread that has written last, in blocking mode. */
    private volatile @Nullable Thread writer;
    private final Object lock;
    /** How many threads have given the blocking lock away. Guarded by the lock. */
    private int waiting;

    /** @param lock the blocking lock of the channel */
    TransferLocks(Object lock) {
        this.lock = lock;
    }

    void lockReads() throws IOException {
        acquire(reading);
    }

    boolean tryLockReads() {
        return reading.tryAcquire();
    }

    void unlockReads() {
        reading.release();
    }

    void lockWrites() throws IOException {
        acquire(writing);
    }

    void unlockWrites() {
        writing.release();
    }

    /** No thread reads or writes from then on. */
    void lockBoth() throws IOException {
        lockReads();
        try {
            lockWrites();
        } catch (IOException | RuntimeException | Error e) {
            // Whatever fails, no lock stays behind: the channel could not be closed.
            unlockReads();
            throw e;
        }
    }

    void unlockBoth() {
        unlockWrites();
        unlockReads();
    }

    /** The calling thread writes, in blocking mode. */
    void setWriter() {
        writer = Thread.currentThread();
    }

    /**
     * {@return whether no other thread writes} A thread that writes and reads by turns then keeps the blocking lock for a moment, since a
     * helper would make its reads slower.
     */
    boolean isAlone() {
        Thread last = writer;
        return last == null || last == Thread.currentThread();
    }

    /** A call that may wait. */
    @FunctionalInterface
    interface Call<T> {
        T run() throws IOException;
    }

    /** {@return whether the calling thread holds the blocking lock} */
    boolean isHeld() {
        return Thread.holdsLock(lock);
    }

    /** {@return whether the calling thread holds the blocking lock, and has to wait without it} */
    boolean givesWay() {
        return Thread.holdsLock(lock) && (waiting > 0 || isInStream());
    }

    private static boolean isInStream() {
        return WALKER.walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                .takeWhile(name -> name.startsWith(OWN) || name.startsWith(JDK)).anyMatch(STREAMS::contains));
    }

    /** As a lock, this ignores interrupts. */
    private void acquire(Semaphore permit) throws IOException {
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

    /**
     * Makes a call by a helper, while the blocking lock, which the calling thread holds, is free. An interrupt does not end it: it closes the channel,
     * and thereby ends the call.
     */
    <T> T awaitWithout(Call<T> call) throws IOException {
        FutureTask<T> errand = new FutureTask<>(call::run) {
            @Override
            protected void done() {
                synchronized (lock) {
                    lock.notifyAll();
                }
            }
        };
        try {
            Workers.execute(errand);
        } catch (ResourceException e) {
            throw new IOException(e.getMessage(), e);
        }
        boolean interrupted = false;
        waiting++;
        while (!errand.isDone()) {
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
        if (errand.state() == Future.State.SUCCESS) {
            return errand.resultNow();
        }
        switch (errand.exceptionNow()) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    /** @param begin of the wait, on the clock of {@link System#nanoTime} */
    static Duration left(Duration timeout, long begin) {
        return timeout.compareTo(Verbs.FOREVER) >= 0 ? timeout
                : Duration.ofNanos(Math.max(0, Waits.nanos(timeout) - (System.nanoTime() - begin)));
    }
}

package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionDispatcher;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Workers;

/**
 * A {@link StreamLoop} that several threads share: a thread that waits for a stream turns the loop, and other threads that wait park. A
 * thread of the loop turns it while no other thread waits.
 */
// Tested by VerbsSocketTest, StreamLoopTest.
public final class SocketLoop implements AutoCloseable {
    private static final int BATCH = 32;
    /** The pause after a turn that failed, */
    private static final long REST_NANOS = 1_000_000;
    /** and after one that the device failed. */
    private static final long LONG_REST_NANOS = 100_000_000;

    private final Complaints complaints = new Complaints(SocketLoop.class);
    private final Complaints.Message deviceFailed = complaints.message("the sockets of device {} do not work any more");
    private final Complaints.Message turnFailed = complaints.message("a turn of the sockets of device {} failed");
    private final BooleanSupplier isOver = this::isOver;
    private final StreamLoop streams;
    private final CompletionDispatcher dispatcher;
    private final Thread thread;
    /** How many stages wait, for which no thread does. */
    private final AtomicInteger stages = new AtomicInteger();
    private volatile boolean closed;
    /** It closes when its last stream has gone. */
    private volatile boolean retired;
    private Runnable onRetired = () -> {
    };

    private SocketLoop(Device device) {
        streams = StreamLoop.open(device);
        dispatcher = new CompletionDispatcher(streams.queue(), BATCH, streams::handle, streams::work);
        streams.onWakeup(dispatcher::wakeup);
        thread = start(device);
    }

    /**
     * Opens one, and starts its thread.
     *
     * @param device an open device; it stays open until the loop is closed
     * @return closed by the caller
     * @throws org.panamaverbs.ResourceException if the system has no thread for it
     */
    public static SocketLoop open(Device device) {
        return new SocketLoop(device);
    }

    private Thread start(Device device) {
        try {
            return Workers.start("sockets-" + device.name(), this::run);
        } catch (VerbsException | OutOfMemoryError e) {
            streams.close();
            throw e;
        }
    }

    /** {@return its streams; the caller never calls {@link StreamLoop#turn} or {@link StreamLoop#wakeup} of them} */
    public StreamLoop streams() {
        return streams;
    }

    /**
     * Waits until a condition holds.
     *
     * @param condition begins to hold by a change of a stream, or else before a {@link #wakeup()}. Other threads ask, too: it reads volatile
     *                  fields or the like, and calls nothing that waits
     * @param timeout   how long at most; 0 does not wait
     * @return {@code false} if the time is up
     * @throws org.panamaverbs.SystemException          if the device has failed
     * @throws org.panamaverbs.WaitInterruptedException if the thread was interrupted
     * @throws ClosedException                          if the loop is closed
     */
    public boolean await(BooleanSupplier condition, Duration timeout) {
        try {
            return dispatcher.await(condition, timeout);
        } finally {
            if (stages.get() > 0) {
                dispatcher.expect();
            }
        }
    }

    /** A stage waits for a change of a stream: the loop's thread turns the loop if no other thread does. */
    void stageBegins() {
        stages.incrementAndGet();
        dispatcher.expect();
    }

    /** A stage waits no more. */
    void stageEnds() {
        stages.decrementAndGet();
    }

    /** {@return whether the loop's thread can use the memory} */
    boolean isAccessible(MemorySegment memory) {
        return memory.isAccessibleBy(thread);
    }

    /** Makes all threads in {@link #await} look at their conditions. */
    public void wakeup() {
        // The dispatcher's own wakeup would also have the loop's thread lead once those threads have left.
        streams.wakeup();
    }

    private void run() {
        while (!isOver()) {
            try {
                dispatcher.serve(isOver);
            } catch (ClosedException e) {
                // The program has closed the device first. This turn has told streams that were cut before it.
                if (streams.streams() == 0) {
                    return;
                }
                streams.cutAll(e);
                LockSupport.parkNanos(REST_NANOS);
            } catch (WaitInterruptedException e) {
                // A listener interrupted the thread, which has no reason to end.
                Thread.interrupted();
            } catch (VerbsException e) {
                // Each turn still tells the streams of their end.
                deviceFailed.error(streams.device().name(), e);
                streams.cutAll(e);
                LockSupport.parkNanos(LONG_REST_NANOS);
            } catch (RuntimeException | Error e) {
                // All streams of the loop need its thread.
                turnFailed.error(streams.device().name(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
        if (!closed) {
            streams.close();
            onRetired.run();
        }
    }

    /** {@return whether no thread turns the loop any more, or will not soon} */
    boolean isClosed() {
        return closed;
    }

    private boolean isOver() {
        return closed || retired && streams.streams() == 0;
    }

    /**
     * Gets no new streams; it closes by itself when the last stream was closed and freed.
     *
     * @param closed called by the loop's thread after that
     */
    public void retire(Runnable closed) {
        onRetired = closed;
        retired = true;
        dispatcher.wakeup();
    }

    /** Cuts all streams, and frees their memory. */
    @Override
    public void close() {
        closed = true;
        dispatcher.wakeup();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        streams.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package org.panamaverbs.spi;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.VerbsException;

/** A completion channel that keeps its events and the rules of its waits for its provider. */
// Tested by ChannelContract, CompletionContract, WaitContract.
public abstract class AbstractCompletionChannel implements CompletionChannel {
    /** Guards itself and the fields below. */
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    private boolean woken;
    /** Makes the exception of a wait that finds no event, or {@code null}. */
    private Supplier<? extends VerbsException> end;
    /** Gets each change of {@code readable}, or {@code null} if the program has not asked for a descriptor. */
    private Consumer<Boolean> watcher;
    private boolean readable;

    /** Makes one. */
    protected AbstractCompletionChannel() {
    }

    /**
     * Waits until {@link #isPending()}, or at most so long; it may return earlier. A provider whose device has events of its own
     * {@linkplain #raise raises} those that come meanwhile.
     *
     * @param nanos how long at most, more than 0
     */
    protected abstract void awaitChange(long nanos);

    /** Makes the threads in {@link #awaitChange} look at {@link #isPending()}. Holds no lock of this class. */
    protected abstract void signalWaiters();

    /**
     * Takes an event of the device itself; never waits.
     *
     * @return the queue to poll, or {@code null}, also if all events are raised by {@link #raise}
     */
    protected CompletionQueue takeFromDevice() {
        return null;
    }

    /**
     * Adds an event.
     *
     * @param queue the queue to poll
     */
    protected final void raise(CompletionQueue queue) {
        synchronized (events) {
            events.add(queue);
            update();
        }
        signalWaiters();
    }

    /**
     * Drops the events of a queue that closes.
     *
     * @param queue raises no more
     */
    protected final void forget(CompletionQueue queue) {
        synchronized (events) {
            events.removeIf(other -> other == queue);
            update();
        }
    }

    /**
     * Ends all waits: each throws from now on, once there is no event left.
     *
     * @param reason makes an exception for each wait
     */
    protected final void end(Supplier<? extends VerbsException> reason) {
        synchronized (events) {
            end = reason;
            update();
        }
        signalWaiters();
    }

    /** As {@link #end}, since the channel is closed. */
    protected final void endClosed() {
        end(() -> new ClosedException("the completion channel is closed"));
    }

    /**
     * Whether a wait ends at once: there is an event, a wakeup, or a reason to throw.
     *
     * @return whatever {@link #takeFromDevice()} would return
     */
    protected final boolean isPending() {
        synchronized (events) {
            return !events.isEmpty() || woken || end != null;
        }
    }

    /**
     * Follows {@link #isPending()} from now on, for a descriptor.
     *
     * @param changed gets {@code true} when it becomes so and {@code false} when it is no longer so, under the lock of this class
     */
    protected final void watch(Consumer<Boolean> changed) {
        synchronized (events) {
            watcher = changed;
            readable = false;
            update();
        }
    }

    /** Under the lock. */
    private void update() {
        boolean now = isPending();
        if (watcher != null && now != readable) {
            readable = now;
            watcher.accept(now);
        }
    }

    /** Takes an event that was raised; if there is none, throws if the waits have ended. Under the lock. */
    private CompletionQueue takeRaised() {
        CompletionQueue queue = events.poll();
        if (queue != null) {
            update();
        } else if (end != null) {
            throw end.get();
        }
        return queue;
    }

    /** Whether there was a wakeup. Under the lock. */
    private boolean takeWakeup() {
        boolean was = woken;
        if (was) {
            woken = false;
            update();
        }
        return was;
    }

    @Override
    public final CompletionQueue poll() {
        synchronized (events) {
            CompletionQueue queue = takeRaised();
            if (queue != null) {
                return queue;
            }
        }
        CompletionQueue queue = takeFromDevice();
        if (queue == null) {
            synchronized (events) {
                takeWakeup();
            }
        }
        return queue;
    }

    @Override
    public final CompletionQueue await(Duration timeout) {
        long limit = Waits.nanos(timeout);
        long start = System.nanoTime();
        while (true) {
            synchronized (events) {
                CompletionQueue queue = takeRaised();
                if (queue != null || takeWakeup()) {
                    return queue;
                }
            }
            long left = limit - (System.nanoTime() - start);
            if (left > 0) {
                awaitChange(left);
            } else {
                CompletionQueue queue = takeFromDevice();
                if (queue == null) {
                    throw Waits.timedOut("no completion queue of a completion channel has raised an event", timeout);
                }
                return queue;
            }
        }
    }

    @Override
    public final void wakeup() {
        synchronized (events) {
            woken = true;
            update();
        }
        signalWaiters();
    }
}

package org.panamaverbs.spi;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.VerbsException;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/** A completion channel that keeps its queues, its events, its descriptor and the rules of its waits for its provider. */
// Tested by ChannelContract, CompletionContract, WaitContract.
public abstract class AbstractCompletionChannel implements CompletionChannel {
    /** Guards itself and the fields below. */
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    private boolean woken;
    /** Makes the exception of a wait that finds no event, or {@code null}. */
    private @Nullable Supplier<? extends VerbsException> end;
    /** Gets each change of {@code readable}, or {@code null} if the program has not asked for a descriptor. */
    private @Nullable Consumer<Boolean> watcher;
    private boolean readable;

    private final Children siblings;
    private final Children children = new Children("the completion channel");
    /** Less than 0 until the program asks for it. Guarded by this object, as are the steps that close it. */
    private int descriptor = -1;
    private Rollback descriptors = new Rollback();
    private final ReentrantLock closing = new ReentrantLock();

    /**
     * Makes one.
     *
     * @param siblings the children of its device: the channel leaves them when it is closed
     */
    protected AbstractCompletionChannel(Children siblings) {
        this.siblings = siblings;
    }

    /** {@return the queues that report to the channel; they close before the channel} */
    public final Children children() {
        return children;
    }

    /**
     * Waits until {@link #isPending()}, or at most so long; it may return earlier. A provider whose device has events of its own
     * {@linkplain #raise raises} those that come meanwhile.
     *
     * @param nanos how long at most, more than 0
     */
    protected abstract void awaitChange(long nanos);

    /** Makes the threads in {@link #awaitChange} check {@link #isPending()}. Holds no lock of this class. */
    protected abstract void signalWaiters();

    /**
     * Takes an event of the device itself; never waits.
     *
     * @return the queue to poll, or {@code null}, also if all events are raised by {@link #raise}
     */
    protected @Nullable CompletionQueue takeFromDevice() {
        return null;
    }

    /**
     * Opens a descriptor that follows {@link #isPending()}, and calls {@link #watch}. Called once at most, unless it throws; only for a
     * provider with {@link Capability#CHANNEL_DESCRIPTOR}.
     *
     * @param undo gets the steps that close the descriptor; they are taken after {@link #release}
     * @return the number of the descriptor, 0 or more
     */
    protected int openDescriptor(Rollback undo) {
        throw Capability.CHANNEL_DESCRIPTOR.missingOn(device());
    }

    /** Gives back what the provider has opened; the queues are closed, and no wait begins any more. Called once. */
    protected void release() {
        // Some have nothing.
    }

    /**
     * Adds an event: a queue has a completion of which its program asked to be notified.
     *
     * @param queue the queue to poll
     */
    public final void raise(CompletionQueue queue) {
        synchronized (events) {
            events.add(queue);
            update();
        }
        signalWaiters();
    }

    /**
     * Drops a queue that closes, and its events.
     *
     * @param queue raises no more
     */
    public final void remove(CompletionQueue queue) {
        synchronized (events) {
            events.removeIf(other -> other == queue);
            update();
        }
        children.remove(queue);
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
    protected final void watch(@Nullable Consumer<Boolean> changed) {
        synchronized (events) {
            watcher = changed;
            readable = false;
            update();
        }
    }

    /** Under the lock. */
    private void update() {
        boolean pending = isPending();
        if (watcher != null && pending != readable) {
            readable = pending;
            watcher.accept(pending);
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
    public final @Nullable CompletionQueue poll() {
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
    public final @Nullable CompletionQueue await(Duration timeout) {
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

    @Override
    public final synchronized int descriptor() {
        children.check();
        if (descriptor < 0) {
            try (Rollback undo = new Rollback()) {
                int opened = openDescriptor(undo);
                undo.add(() -> watch(null));
                descriptors = undo.commit();
                descriptor = opened;
            }
        }
        return descriptor;
    }

    @Override
    public void close() {
        // Another closer waits: it may close next the objects that the provider's part of this channel still uses.
        closing.lock();
        try {
            if (children.close()) {
                destroy();
            }
        } finally {
            closing.unlock();
        }
    }

    private void destroy() {
        end(() -> new ClosedException("the completion channel is closed"));
        release();
        synchronized (this) {
            descriptors.close();
        }
        siblings.remove(this);
    }
}

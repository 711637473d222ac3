package org.panamaverbs.softiwarp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.IdlePolicy;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.softiwarp.queue.CompletionListener;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.statistics.CompletionQueueStatistics;

/** A completion queue: a ring, the threads that wait for it, and the loops that fill it. */
// Tested by CompletionContract, WaitContract.
final class SoftCompletionQueue extends AbstractCompletionQueue {
    private static final EventLoop[] NO_LOOPS = {};
    private static final VarHandle NOTIFY = Fields.of(MethodHandles.lookup(), "notify", boolean.class);
    private static final VarHandle CLOSED = Fields.of(MethodHandles.lookup(), "closed", boolean.class);

    private final SoftDevice device;
    private final SoftCompletionChannel channel;
    private final CompletionRing ring;
    private final Children queuePairs = new Children("the completion queue");
    private final WaitPoint waiters = new WaitPoint();
    private final BooleanSupplier isPollable = this::isPollable;
    private final BooleanSupplier isPollableOrWoken = () -> isPollable() || isWoken();
    /** Whether the next completion notifies the channel. */
    private volatile boolean notify;
    /** The loops of the queue pairs that complete here: more than one only if a queue pair has another queue with another loop. */
    private volatile EventLoop[] loops = NO_LOOPS;
    private volatile boolean closed;
    /** Empty polls in a row; concurrent pollers may lose counts, which does no harm. */
    private int emptyPolls;

    SoftCompletionQueue(SoftDevice device, CompletionQueueAttributes attributes) {
        super(attributes);
        this.device = device;
        this.channel = (SoftCompletionChannel) attributes.channel();
        int capacity = capacity(attributes.entries());
        this.ring = Shortage.naming("a completion queue of " + capacity + " entries", () -> new CompletionRing(capacity, new Listener()));
    }

    /** The power of two that holds so many. */
    private static int capacity(int entries) {
        return entries == 1 ? 1 : Integer.highestOneBit(entries - 1) * 2;
    }

    @Override
    public SoftDevice device() {
        return device;
    }

    CompletionRing ring() {
        return ring;
    }

    /** The loop that new queue pairs use; {@code null} before the first. */
    EventLoop loop() {
        return loops.length == 0 ? null : loops[0];
    }

    /** From now on threads that poll or wait for completions drive this loop, too. */
    synchronized void use(EventLoop loop) {
        for (EventLoop other : loops) {
            if (other == loop) {
                return;
            }
        }
        List<EventLoop> all = new ArrayList<>(List.of(loops));
        all.add(loop);
        loops = all.toArray(NO_LOOPS);
        if (channel != null) {
            channel.attach(loop);
        }
    }

    void attach(SoftQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void detach(SoftQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    @Override
    public int capacity() {
        return ring.capacity();
    }

    @Override
    protected void resizeTo(int entries) {
        checkOpen();
        int capacity = capacity(entries);
        int waiting = Shortage.naming("a completion queue of " + capacity + " entries", () -> ring.resize(capacity, entries));
        if (waiting > entries) {
            throw tooFew(entries, waiting);
        }
    }

    @Override
    protected long added() {
        return ring.added();
    }

    @Override
    protected long polled() {
        return ring.polled();
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the completion queue is closed");
        }
    }

    @Override
    protected int takeAvailable(CompletionBuffer into) {
        if (!ring.isEmpty()) {
            emptyPolls = 0;
        } else if (++emptyPolls > IdlePolicy.EMPTY_POLLS) {
            drive();
        }
        return take(into);
    }

    private void drive() {
        for (EventLoop loop : loops) {
            loop.drive();
        }
        if (ring.isEmpty() && Thread.currentThread().isVirtual()) {
            // A virtual thread that spins would keep its carrier from other virtual threads.
            Thread.yield();
        }
    }

    private int take(CompletionBuffer into) {
        checkOpen();
        int count = ring.poll(into);
        if (count == 0 && ring.isOverrun()) {
            queuePairs.close();
            throw new ResourceException("the completion queue of " + ring.capacity() + " entries overran, and its queue pairs are closed: "
                    + "make it as large as all queues together that complete in it, or poll more often");
        }
        return count;
    }

    @Override
    protected int awaitAvailable(CompletionBuffer into, long limit, boolean wakeable) {
        // A waiting thread does not busy-poll, however often it polls between its waits.
        emptyPolls = 0;
        boolean inTime = true;
        long left = limit;
        while (true) {
            int count = take(into);
            // Signalled but empty: another thread has polled the completion, or took the wakeup, so this one waits again.
            if (count > 0 || !inTime || wakeable && consumeWakeup()) {
                return count;
            }
            long start = System.nanoTime();
            inTime = waiters.await(loops, wakeable ? isPollableOrWoken : isPollable, left);
            left = Math.max(0, left - (System.nanoTime() - start));
        }
    }

    @Override
    protected void signalWaiters() {
        waiters.signal();
    }

    /** Arms the ring first, so that a completion after the check calls the listener. */
    private boolean isPollable() {
        ring.arm(false);
        return !ring.isEmpty() || closed || ring.isOverrun();
    }

    private final class Listener implements CompletionListener {
        @Override
        public void onCompletion() {
            waiters.signal();
            if (notify && NOTIFY.compareAndSet(SoftCompletionQueue.this, true, false)) {
                channel.raise(SoftCompletionQueue.this);
            }
        }

        @Override
        public void onOverrun() {
            AsynchronousEvent.Type type = AsynchronousEvent.Type.COMPLETION_QUEUE_ERROR;
            device.events().publish(new AsynchronousEvent(type, SoftCompletionQueue.this, 0));
        }
    }

    @Override
    public String toString() {
        return "the completion queue of " + ring.capacity() + " entries of " + device.name();
    }

    @Override
    public CompletionQueueStatistics statistics() {
        return new Snapshot(OptionalLong.of(ring.polled()), OptionalLong.of(ring.mostWaiting()), OptionalLong.of(ring.isOverrun() ? 1 : 0));
    }

    private record Snapshot(OptionalLong completionsPolled, OptionalLong mostWaiting,
            OptionalLong overruns) implements CompletionQueueStatistics {
        @Override
        public String toString() {
            return describe();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        checkOpen();
        if (channel == null) {
            throw new IllegalStateException("the completion queue was made without a completion channel to notify");
        }
        notify = true;
        ring.arm(solicitedOnly);
    }

    @Override
    public void close() {
        // If the queue overran, they are closed already.
        queuePairs.close();
        if (!CLOSED.compareAndSet(this, false, true)) {
            return;
        }
        waiters.signal();
        if (channel == null) {
            device.children().remove(this);
        } else {
            channel.remove(this);
        }
    }
}

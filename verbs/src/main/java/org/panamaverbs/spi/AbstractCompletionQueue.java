package org.panamaverbs.spi;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Capability;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/** A completion queue that keeps the rules of cursors, waits, resizing and admission for its provider. */
// Tested by CompletionRoomTest, CursorContract, WaitContract, ResizeContract.
public abstract class AbstractCompletionQueue implements CompletionQueue {
    private final AtomicBoolean woken = new AtomicBoolean();
    /** A cursor for the next {@link #take}; {@code null} if another thread has it, or none was made yet. */
    private final AtomicReference<@Nullable Completions> spare = new AtomicReference<>();

    /** {@code null} if the queue takes queue pairs without counting. */
    private final @Nullable CompletionRoom admission;

    /**
     * Makes one.
     *
     * @param attributes as the program gave them
     */
    @SuppressWarnings("this-escape") // for later use alone
    protected AbstractCompletionQueue(CompletionQueueAttributes attributes) {
        admission = attributes.admission() ? new CompletionRoom(this, attributes.entries(), this::resizeTo, this::added, this::polled)
                : null;
    }

    /**
     * Takes room in the queues where a queue pair completes, if they admit queue pairs. The provider calls it before the queue pair can
     * complete anything, and {@link #release} with the same attributes if creating it fails, or at the end of its close.
     *
     * @param queuePair the attributes; its queues extend this class
     * @throws ResourceException if a queue has no room: nothing is taken
     * @throws SystemException   if the device refuses to resize a queue: nothing is taken
     */
    public static void admit(QueuePairAttributes queuePair) {
        CompletionRoom sends = admissionOf(queuePair.sendQueue());
        CompletionRoom receives = admissionOf(queuePair.receiveQueue());
        try (Rollback undo = new Rollback()) {
            if (sends != null) {
                sends.take(queuePair);
                undo.add(() -> sends.giveBack(queuePair));
            }
            if (receives != null && receives != sends) {
                receives.take(queuePair);
            }
            undo.commit();
        }
    }

    /**
     * Gives back what {@link #admit} has taken. The provider calls it when the last completion of the queue pair was added.
     *
     * @param queuePair the same attributes
     */
    public static void release(QueuePairAttributes queuePair) {
        CompletionRoom sends = admissionOf(queuePair.sendQueue());
        CompletionRoom receives = admissionOf(queuePair.receiveQueue());
        if (sends != null) {
            sends.giveBack(queuePair);
        }
        if (receives != null && receives != sends) {
            receives.giveBack(queuePair);
        }
    }

    private static @Nullable CompletionRoom admissionOf(CompletionQueue queue) {
        return ((AbstractCompletionQueue) queue).admission;
    }

    /**
     * How many completions have ever taken an entry. With {@link #polled} it says when the entries of a closed queue pair are free. A provider
     * that keeps completions of closed queue pairs elsewhere overrides neither.
     *
     * @return 0 or more; does not fall
     */
    protected long added() {
        return 0;
    }

    /**
     * How many entries polls have ever freed.
     *
     * @return 0 to {@link #added()}; does not fall
     */
    protected long polled() {
        return 0;
    }

    /**
     * Takes completions that are there, oldest first, and never waits.
     *
     * @param into its cursor has nothing unread
     * @return how many
     */
    protected abstract int takeAvailable(CompletionBuffer into);

    /**
     * Takes completions, and waits for the first if there is none. A wakeable wait that finds nothing calls {@link #consumeWakeup()}.
     *
     * @param into     its cursor has nothing unread
     * @param nanos    how long at most, 0 or more
     * @param wakeable whether a wakeup ends the wait
     * @return how many; 0 if the time was up, or a wakeup ended the wait
     */
    protected abstract int awaitAvailable(CompletionBuffer into, long nanos, boolean wakeable);

    /** Makes the threads in {@link #awaitAvailable} look at {@link #isWoken()}. */
    protected abstract void signalWaiters();

    /**
     * Makes it larger or smaller, while other threads complete, poll and wait; for devices with {@link
     * Capability#RESIZE_COMPLETION_QUEUE}.
     *
     * @param entries 1 to the device's maximum
     * @throws IllegalArgumentException made by {@link #tooFew}, if more completions wait in it
     */
    protected void resizeTo(int entries) {
        throw Capability.RESIZE_COMPLETION_QUEUE.missingOn(device());
    }

    /**
     * The refusal of {@link #resizeTo}.
     *
     * @param entries as it was called
     * @param waiting the number of completions that wait
     * @return to be thrown
     */
    protected final IllegalArgumentException tooFew(int entries, long waiting) {
        return new IllegalArgumentException(waiting + " completions wait in " + this + ", which cannot shrink to " + entries
                + ": poll them first, or ask for " + waiting + " entries or more");
    }

    @Override
    public final void resize(int entries) {
        if (!device().supports(Capability.RESIZE_COMPLETION_QUEUE)) {
            throw Capability.RESIZE_COMPLETION_QUEUE.missingOn(device());
        }
        ObjectChecks.completionEntries(device(), entries);
        if (admission == null) {
            resizeTo(entries);
        } else {
            admission.resize(entries);
        }
    }

    /**
     * Whether a wakeup is to end a wait.
     *
     * @return {@code true} until {@link #consumeWakeup()}
     */
    protected final boolean isWoken() {
        return woken.get();
    }

    /**
     * Takes the wakeup, if there is one, for the thread that calls.
     *
     * @return {@code true} if the thread is to stop waiting
     */
    protected final boolean consumeWakeup() {
        return woken.get() && woken.compareAndSet(true, false);
    }

    @Override
    public final int poll(Completions into) {
        return takeAvailable(read(into));
    }

    @Override
    public final int await(Completions into, Duration timeout) {
        return awaitAvailable(read(into), Waits.nanos(timeout), true);
    }

    @Override
    public final Completion take(Duration timeout) {
        Completions one = spare.getAndSet(null);
        if (one == null) {
            one = Completions.allocate(1);
        }
        try {
            if (awaitAvailable(Described.of(one), Waits.nanos(timeout), false) == 0 || !one.next()) {
                throw Waits.timedOut("nothing completed in " + this, timeout);
            }
            return Completion.of(one);
        } finally {
            one.clear();
            // It may live long: the attachment need not.
            Described.of(one).attach(0, null);
            spare.set(one);
        }
    }

    @Override
    public final void wakeup() {
        woken.set(true);
        signalWaiters();
    }

    /** Refuses a cursor that is unread. */
    private static CompletionBuffer read(Completions into) {
        if (into.remaining() != 0) {
            throw new IllegalStateException(into.remaining() + " of the " + into.count()
                    + " completions of the last poll are unread: read them with next(), or drop them with clear(), before the next poll");
        }
        return Described.of(into);
    }
}

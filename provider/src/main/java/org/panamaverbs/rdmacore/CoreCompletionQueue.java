package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_cq;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.event.WatchedQueue;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.Completing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.rdmacore.post.ReportReader;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.CompletionStash;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.statistics.CompletionQueueStatistics;

/**
 * A completion queue. The device writes completions into the memory of the caller's cursor; there the numbers of requests become those that
 * the program gave.
 *
 * <p>Completions wait in the {@code stash} if they must outlive their queue pair (devices forget those of one that is destroyed), and
 * if the device never reports: libsiw does not flush requests that are posted to a queue pair in error.
 */
final class CoreCompletionQueue extends AwaitedQueue implements CompletionSink, WatchedQueue, DeviceFailureListener {
    private final CoreDevice device;
    /** The channel that the program gave, or {@code null}. */
    private final CoreCompletionChannel channel;
    private final int place;
    private final MemorySegment address;
    /** Written under the lock. */
    private volatile int capacity;
    private final Children queuePairs = new Children("the completion queue");
    private final StalledSenders senders = new StalledSenders();

    private final BriefLock lock = new BriefLock();
    /** Under the lock, as are all below. */
    private final ReportReader reports;
    private final CompletionStash stash = new CompletionStash();
    private final QueueNotifications notifications;
    /** How many completions the program has taken. */
    private long polled;
    private final QueueFailure failure;
    private boolean closed;
    private final Closing closing = new Closing();

    /**
     * @param events the channel on which the device reports its completions; the queue closes it if the program gave no channel
     */
    CoreCompletionQueue(CoreDevice device, CompletionQueueAttributes attributes, PolledQueue queue, EventChannel events) {
        super(attributes, events, device.busyPoll());
        this.device = device;
        this.channel = (CoreCompletionChannel) attributes.channel();
        this.address = queue.address();
        this.failure = new QueueFailure(this::capacity, device.name());
        this.reports = new ReportReader(queue, device.wrIds(), this::onPollFailure);
        this.notifications = new QueueNotifications(device.ops().requestNotification(), address, channel, events);
        this.capacity = device.posting().keepAlive().entriesOfProgram(ibv_cq.cqe(address), attributes.entries());
        this.place = events.add(this, address);
        LiveObjects.add(address, this);
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    MemorySegment address() {
        return address;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    protected void resizeTo(int entries) {
        if (entries < capacity) {
            // Drivers treat completions that a smaller queue cannot hold in different ways: so the stash takes them.
            drain();
        }
        lock.lock();
        try {
            checkOpen();
            if (stash.size() > entries) {
                throw tooFew(entries, stash.size());
            }
            // Polls wait meanwhile, because the library replaces the memory that they read.
            Calls.RESIZE_CQ.succeed("resize " + this + " to " + entries, address,
                    device.posting().keepAlive().entries(entries, device.attributes().maximumCompletionQueueEntries()));
            capacity = device.posting().keepAlive().entriesOfProgram(ibv_cq.cqe(address), entries);
        } finally {
            lock.unlock();
        }
    }

    /** Throws if it is closed, or about to. */
    void checkParent() {
        queuePairs.check();
    }

    /** A queue pair completes here from now on. */
    void attach(Completing queuePair) {
        queuePairs.add(queuePair);
    }

    void detach(Completing queuePair) {
        queuePairs.remove(queuePair);
    }

    /** Receives of the queue pair that complete are kept until {@link #deliverEarly}. */
    void keepEarly(WorkOwner queuePair) {
        reports.connecting().add(queuePair);
    }

    void deliverEarly(WorkOwner queuePair) {
        lock.lock();
        try {
            reports.connecting().remove(queuePair);
            if (!queuePair.early().isEmpty()) {
                stash.addAll(queuePair.early());
                notifications.announce(this);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The send queues that complete here. */
    StalledSenders senders() {
        return senders;
    }

    @Override
    protected int takeAvailable(CompletionBuffer into) {
        int count = take(into);
        senders.retry();
        return count;
    }

    @Override
    public void onStalled() {
        senders.onStalled();
    }

    private int take(CompletionBuffer into) {
        Supplier<VerbsException> reason;
        into.makeNative();
        lock.lock();
        try {
            checkOpen();
            int count = stash.isEmpty() ? reports.poll(into) : stash.moveTo(into);
            if (!reports.late().isEmpty()) {
                stash.addAll(reports.late());
                // No event comes for them: they are to be brought now.
                count = count > 0 ? count : stash.moveTo(into);
            }
            into.filled(count);
            if (count > 0) {
                polled += count;
                return count;
            }
            if (failure.ofDevice() != null && queuePairs.open().stream().allMatch(queuePair -> ((Completing) queuePair).isFinished())) {
                throw failure.ofDevice().exception();
            }
            reason = failure.loss();
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            Completing.closeAll(queuePairs);
            throw reason.get();
        }
        return 0;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the completion queue is closed");
        }
    }

    /** By a queue pair, under the lock. */
    @Override
    public void addLate(KeptCompletion completion) {
        reports.addLate(completion);
    }

    /** By any thread that polls, which may hold a work queue's lock: a thread that waits here ends the queue pairs. Under the lock. */
    private void onPollFailure(String how, Throwable thrown) {
        failure.onPoll(how, thrown);
        notifications.announce(this);
    }

    /** Takes what the device has, so that places become free, or before it forgets; later polls bring it. */
    void drain() {
        Supplier<VerbsException> reason;
        lock.lock();
        try {
            boolean could = !reports.hasFailed();
            if (!closed) {
                drainLocked();
            }
            reason = could && reports.hasFailed() ? failure.loss() : null;
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            endQueuePairs(reason);
        }
    }

    /** Returns when each thread is done with its poll that was polling. */
    void awaitPoll() {
        lock.lock();
        lock.unlock();
    }

    /** As {@link #drain}, unless the stash already holds {@code capacity} completions. */
    @Override
    public void drainForRoom() {
        lock.lock();
        try {
            if (!closed && stash.size() < capacity) {
                drainLocked();
            }
        } finally {
            lock.unlock();
        }
    }

    private void drainLocked() {
        do {
            stash.addAll(reports.late());
            reports.drain();
        } while (!reports.late().isEmpty());
    }

    /** The requests of a ring that the device never reported are flushed. Its queue pair takes no more, or is locked. */
    @Override
    public void flush(WorkRing ring, boolean isSend, int queuePairNumber, Object attachment) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            drainLocked();
            stash.flush(ring, isSend, queuePairNumber, attachment, failure.loss() == null);
            // Also of those that the device has reported: siw counts no failure as solicited.
            if (!stash.isEmpty() || failure.ofDevice() != null) {
                notifications.announce(this);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    void arm() {
        lock.lock();
        try {
            checkOpen();
            notifications.arm(false, this);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onEvent() {
        if (takesNotification()) {
            channel.raise(this);
        }
    }

    /** Whether an event of the device, which the caller has read, is for the program: a thread that waits here raises events, too. */
    boolean takesNotification() {
        lock.lock();
        try {
            return notifications.take() && !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Not under the lock: the work queues' locks come before it. */
    private void endQueuePairs(Supplier<VerbsException> reason) {
        queuePairs.open().forEach(queuePair -> ((Completing) queuePair).fail(reason.get()));
    }

    @Override
    public void afterAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.COMPLETION_QUEUE_ERROR) {
            onOverrun();
        }
    }

    /** The device had no room for a completion; by an event reader. */
    private void onOverrun() {
        Supplier<VerbsException> reason;
        lock.lock();
        try {
            reason = failure.onOverrun();
            announce();
        } finally {
            lock.unlock();
        }
        endQueuePairs(reason);
    }

    /** The event reader may find the queue while it closes: its channel has dropped it then. Under the lock. */
    private void announce() {
        if (!closed) {
            notifications.announce(this);
        }
    }

    @Override
    public AsynchronousEvent.Source verbsObject() {
        return this;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        // An overrun ends queue pairs: see afterAsynchronous.
    }

    @Override
    public void onDeviceFailure(DeviceFailure reason) {
        lock.lock();
        try {
            failure.onDevice(reason);
            announce();
        } finally {
            lock.unlock();
        }
    }

    /** How many completions wait, the device alone knows. */
    @Override
    public CompletionQueueStatistics statistics() {
        lock.lock();
        try {
            return new CompletionQueueSnapshot(OptionalLong.of(polled), OptionalLong.of(failure.hasOverrun() ? 1 : 0));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        lock.lock();
        try {
            checkOpen();
            notifications.ask(solicitedOnly, this);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closing.once(() -> Completing.closeAll(queuePairs), this::destroy);
    }

    private void destroy() {
        lock.lock();
        try {
            // Completions are lost, but not the places of shared receives.
            drainLocked();
            closed = true;
        } finally {
            lock.unlock();
        }
        signalWaiters();
        // Not under the lock: it waits until each event is acknowledged.
        device.lifetime().destroying(() -> Calls.DESTROY_CQ.attempt(address));
        LiveObjects.remove(address, this);
        events().remove(place);
        if (channel == null) {
            events().close();
            device.children().remove(this);
        } else {
            channel.remove(this);
        }
    }

    @Override
    public String toString() {
        return "a completion queue of " + capacity + " entries of " + device.name();
    }
}

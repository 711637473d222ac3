package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_cq;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.event.WatchedQueue;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.lifecycle.BriefLock;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.Completing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.rdmacore.post.OwnersByNumber;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.CompletionStash;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.BusyPoll;
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
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class CoreCompletionQueue extends AbstractCompletionQueue implements CompletionSink, WatchedQueue, DeviceFailureListener {
    /** The most that one call takes from the device: safepoints wait for it. */
    private static final int BATCH = 32;

    private final CoreDevice device;
    /** The channel that the program gave, or {@code null}. */
    private final CoreCompletionChannel channel;
    /** That channel's, or the queue's own. */
    private final EventChannel events;
    private final int place;
    private final BusyPoll busyPoll;
    private final PolledQueue queue;
    private final MemorySegment address;
    /** Written under the lock. */
    private volatile int capacity;
    private final Children queuePairs = new Children("the completion queue");
    private final StalledSenders senders = new StalledSenders();
    /** The queue pairs that are not connected yet, whose receives complete here. */
    private final OwnersByNumber connecting = new OwnersByNumber();

    private final BriefLock lock = new BriefLock();
    /** Under the lock, as are all below. */
    private final CompletionStash stash = new CompletionStash();
    /** Further completions of a poll, to be delivered after those that the poll brought: see {@link #addLate}. */
    private final CompletionStash late = new CompletionStash();
    private final CompletionStash released = new CompletionStash();
    /** What the device brings when no program polls. */
    private final CompletionBuffer drained = new CompletionBuffer(BATCH);
    /** Whether the program has ever asked for a notification: then each event of the device is one. */
    private boolean notifies;
    /** Whether the program has asked for one since the last. */
    private boolean asked;
    /** How many completions the program has taken. */
    private long polled;
    private boolean overran;
    /** Why completions may be lost, or {@code null}: an overrun, or a poll that failed. Each caller gets an exception of its own. */
    private Supplier<VerbsException> broken;
    /** Whether the device is polled no more. */
    private boolean unpollable;
    private DeviceFailure failure;
    private boolean closed;
    private final Closing closing = new Closing();

    /**
     * @param events the channel on which the device reports its completions; the queue closes it if the program gave no channel
     */
    CoreCompletionQueue(CoreDevice device, CompletionQueueAttributes attributes, PolledQueue queue, EventChannel events) {
        super(attributes);
        this.device = device;
        this.events = events;
        this.channel = (CoreCompletionChannel) attributes.channel();
        this.busyPoll = device.busyPoll();
        this.queue = queue;
        this.address = queue.address();
        this.capacity = ibv_cq.cqe(address);
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
            Calls.RESIZE_CQ.succeed("resize " + this + " to " + entries, address, entries);
            capacity = ibv_cq.cqe(address);
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
        connecting.add(queuePair);
    }

    void deliverEarly(WorkOwner queuePair) {
        lock.lock();
        try {
            connecting.remove(queuePair);
            if (!queuePair.early().isEmpty()) {
                stash.addAll(queuePair.early());
                announce();
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
            int count = stash.isEmpty() ? pollDevice(into) : stash.moveTo(into);
            if (!late.isEmpty()) {
                stash.addAll(late);
                // No event comes for them: they are to be brought now.
                count = count > 0 ? count : stash.moveTo(into);
            }
            into.filled(count);
            if (count > 0) {
                polled += count;
                return count;
            }
            if (failure != null && queuePairs.open().stream().allMatch(queuePair -> ((Completing) queuePair).isFinished())) {
                throw failure.exception();
            }
            reason = broken;
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            queuePairs.close();
            throw reason.get();
        }
        return 0;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the completion queue is closed");
        }
    }

    /**
     * Polls the device until it has nothing more, or there is no more room, or something comes late. The device writes into the buffer; a
     * completion that the program does not want leaves a gap, which the next one closes.
     *
     * @param into the buffer to deliver into, or {@code null} to have all come late
     */
    private int pollDevice(CompletionBuffer into) {
        if (unpollable) {
            return 0;
        }
        CompletionBuffer memory = into == null ? drained : into;
        int delivered = 0;
        while (true) {
            int first = delivered;
            int most = Math.min(memory.capacity() - first, BATCH);
            int polled = queue.poll(memory, first, most);
            for (int i = first; i < first + polled; i++) {
                WorkCompletionHandler handler = deliver(memory, i);
                if (handler != null && !connecting.isEmpty() && keepsEarly(handler, memory, i)) {
                    handler = null;
                }
                // Once something comes late, everything after it does.
                if (handler != null && (into == null || !late.isEmpty())) {
                    late.add(KeptCompletion.copy(memory, i, handler.attachment(memory, i)));
                } else if (handler != null) {
                    into.attach(delivered, handler.attachment(into, i));
                    if (i != delivered) {
                        move(into, i, delivered);
                    }
                    delivered++;
                }
                if (!released.isEmpty()) {
                    late.addAll(released);
                }
            }
            if (polled < 0) {
                onPollFailure(polled);
            }
            if (polled <= 0 || delivered == memory.capacity() || !late.isEmpty() || delivered > 0 && polled < most) {
                return delivered;
            }
        }
    }

    /** Keeps the completion of a receive whose queue pair is not connected yet; {@code false} for any other. */
    private boolean keepsEarly(WorkCompletionHandler handler, CompletionBuffer polled, int index) {
        long at = polled.memory().address() + index * CompletionBuffer.SIZE;
        if ((NativeMemory.getInt(at + CompletionBuffer.OPCODE) & CompletionBuffer.RECEIVED) == 0) {
            return false;
        }
        WorkOwner owner = connecting.find(NativeMemory.getInt(at + CompletionBuffer.QUEUE_PAIR));
        if (owner != null) {
            owner.early().add(KeptCompletion.copy(polled, index, handler.attachment(polled, index)));
        }
        return owner != null;
    }

    /** The device may have taken completions out of the queue before it failed: polling on would lose these unnoticed. */
    private void onPollFailure(int result) {
        String text = "cannot poll the completion queue of " + capacity + " entries of " + device.name() + ": " + queue.failure(result)
                + "; completions may be lost, and its queue pairs are closed";
        unpollable = true;
        if (broken == null) {
            broken = () -> new SystemException(text, Libc.EIO());
        }
    }

    private static void move(CompletionBuffer buffer, int from, int to) {
        MemorySegment.copy(buffer.memory(), from * CompletionBuffer.SIZE, buffer.memory(), to * CompletionBuffer.SIZE,
                CompletionBuffer.SIZE);
        buffer.timestamps().setAtIndex(ValueLayout.JAVA_LONG, to, buffer.timestamps().getAtIndex(ValueLayout.JAVA_LONG, from));
    }

    /** A completion that waited for the one which is being delivered, or {@code null}; by its queue pair, under the lock. */
    @Override
    public void addLate(KeptCompletion completion) {
        if (completion != null) {
            released.add(completion);
        }
    }

    /** The handler of the completion, or {@code null} if the program expects none. */
    private WorkCompletionHandler deliver(CompletionBuffer polled, int index) {
        long request = NativeMemory.getLong(polled.memory().address() + index * CompletionBuffer.SIZE + CompletionBuffer.ID);
        WorkCompletionHandler handler = device.wrIds().find(request);
        return handler != null && handler.onReport(request, polled, index) ? handler : null;
    }

    /** Takes what the device has, so that places become free, or before it forgets; later polls bring it. */
    void drain() {
        Supplier<VerbsException> reason;
        lock.lock();
        try {
            boolean could = !unpollable;
            if (!closed) {
                drainLocked();
            }
            reason = could && unpollable ? broken : null;
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
        while (true) {
            drained.makeNative();
            pollDevice(null);
            if (late.isEmpty()) {
                return;
            }
            stash.addAll(late);
        }
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
            // Also of those that the device has reported: siw counts no failure as solicited.
            boolean any = !stash.isEmpty();
            while (!ring.isEmpty()) {
                int sequence = ring.retired();
                if (ring.isDone(sequence)) {
                    KeptCompletion completion = ring.release(sequence);
                    if (completion != null && broken == null) {
                        stash.add(completion);
                        any = true;
                    }
                } else if (!ring.isSilentlyDone(sequence)) {
                    ring.onFailed();
                    if (broken == null) {
                        stash.add(KeptCompletion.flushed(ring.id(sequence), isSend, queuePairNumber, attachment));
                        any = true;
                    }
                }
                ring.retireThrough(sequence);
            }
            if (any || failure != null) {
                announce();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected int awaitAvailable(CompletionBuffer into, long limit, boolean wakeable) {
        long start = System.nanoTime();
        int count = takeAvailable(into);
        if (count == 0) {
            count = busyPoll(into, start, limit, wakeable);
        }
        while (count == 0) {
            long seen = events.signals();
            arm();
            count = takeAvailable(into);
            long left = limit - (System.nanoTime() - start);
            if (count > 0 || left <= 0 || wakeable && consumeWakeup()) {
                return count;
            }
            // Not under the lock, which others want for moments.
            events.await(seen, left);
            count = takeAvailable(into);
        }
        return count;
    }

    private int busyPoll(CompletionBuffer into, long start, long limit, boolean wakeable) {
        long nanos = Thread.currentThread().isVirtual() ? 0 : busyPoll.nanos(limit);
        while (System.nanoTime() - start < nanos && !(wakeable && isWoken())) {
            int count = takeAvailable(into);
            if (count > 0) {
                busyPoll.onFound();
                return count;
            }
            Thread.onSpinWait();
        }
        if (nanos > 0) {
            busyPoll.onEmpty();
        }
        return 0;
    }

    @Override
    protected void signalWaiters() {
        events.signal();
    }

    private void arm() {
        lock.lock();
        try {
            checkOpen();
            arm(false);
        } finally {
            lock.unlock();
        }
    }

    private void arm(boolean solicitedOnly) {
        int error = Math.abs(ibv_context_ops.req_notify_cq.invoke(device.ops().requestNotification(), address, solicitedOnly ? 1 : 0));
        if (error != 0) {
            throw new SystemException("cannot arm the completion queue of " + capacity + " entries of " + device.name()
                    + ": ibv_req_notify_cq: " + Errno.describe(error), error);
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
            asked = false;
            return notifies && !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Not under the lock: the work queues' locks come before it. */
    private void endQueuePairs(Supplier<VerbsException> reason) {
        queuePairs.open().forEach(queuePair -> ((Completing) queuePair).fail(reason.get()));
    }

    /** Wakes threads that wait for completions of which the device raises no event. */
    private void announce() {
        events.signal();
        if (asked) {
            asked = false;
            channel.raise(this);
        }
    }

    /** The device had no room for a completion; by an event reader. */
    @Override
    public void onOverrun() {
        Supplier<VerbsException> reason = () -> new ResourceException("the completion queue of " + capacity
                + " entries overran, and its queue pairs are closed: make it as large as all queues together that complete in it, or poll "
                + "more often");
        lock.lock();
        try {
            broken = broken == null ? reason : broken;
            overran = true;
            announce();
        } finally {
            lock.unlock();
        }
        endQueuePairs(reason);
    }

    @Override
    public AsynchronousEvent.Source verbsObject() {
        return this;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        // An overrun ends queue pairs, which the event reader begins once it has acknowledged.
    }

    @Override
    public void onDeviceFailure(DeviceFailure reason) {
        lock.lock();
        try {
            failure = reason;
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
            return new Snapshot(OptionalLong.of(polled), OptionalLong.of(overran ? 1 : 0));
        } finally {
            lock.unlock();
        }
    }

    private record Snapshot(OptionalLong completionsPolled, OptionalLong overruns) implements CompletionQueueStatistics {
        @Override
        public String toString() {
            return describe();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        lock.lock();
        try {
            checkOpen();
            if (channel == null) {
                throw new IllegalStateException("the completion queue was made without a completion channel to notify");
            }
            arm(solicitedOnly);
            notifies = true;
            asked = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closing.once(queuePairs::close, this::destroy);
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
        events.signal();
        // Not under the lock: it waits until each event is acknowledged.
        device.destroying(() -> Calls.DESTROY_CQ.attempt(address));
        LiveObjects.remove(address, this);
        events.remove(place);
        if (channel == null) {
            events.close();
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

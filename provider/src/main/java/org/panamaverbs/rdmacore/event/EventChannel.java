package org.panamaverbs.rdmacore.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.pollfd;
import org.panamaverbs.bindings.rdma.ibv_comp_channel;
import org.panamaverbs.bindings.rdma.ibv_cq;
import org.panamaverbs.posix.EventDescriptor;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.EpollSet;
import org.panamaverbs.rdmacore.ffi.EventCalls;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/**
 * A native completion channel ({@code ibv_comp_channel}), and the threads that wait for completions or events of its queues.
 *
 * <p>One platform thread at a time waits in poll(2) for the device and for an event descriptor of the channel's own, which ends the wait
 * for all other reasons. The other threads park until that thread signals or leaves. Virtual threads always park, since poll(2) would keep
 * their carrier; the event reader watches the channel for them.
 *
 * <p>A wait that returns says nothing: the caller looks at its condition again. It takes {@link #signals()} before it does, and each change
 * of a condition is followed by {@link #signal()}.
 */
// Tested by EventChannelFaultsTest, WaitContract, ChannelContract.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class EventChannel implements AutoCloseable {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventReader reader;
    private final OwnedMemory memory = new OwnedMemory();
    private final MemorySegment address;
    private final long nativeAddress;
    private final int descriptor;
    private final EventDescriptor wakeUps;
    private final InterruptHook interrupts = new InterruptHook(this::wakePolling);
    /** For poll(2): the device's descriptor, and that of the wake-ups; each also as a part of its own. */
    private final MemorySegment polled;
    private final MemorySegment devicePart;
    private final MemorySegment wakeUpPart;
    /** Gets the queue and its context, by their addresses. */
    private final MemorySegment event;

    private final AtomicLong signals = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    /** The queues by their places, and which places are taken; under the lock. */
    private WatchedQueue[] queues = new WatchedQueue[1];
    private final BitSet taken = new BitSet();
    private final Condition changed = lock.newCondition();
    private final Condition left = lock.newCondition();
    /** How many threads are in {@link #await}. Written under the lock, and before the thread looks at the signals. */
    private volatile int inside;
    /** The thread that is in poll(2), or about to be; under the lock. */
    private Thread polling;
    private boolean closed;

    /**
     * Opens one.
     *
     * @param context the device's
     * @param device  its name
     */
    public EventChannel(MemorySegment context, String device, EventReader reader) {
        this.reader = reader;
        try (Rollback undo = new Rollback()) {
            undo.add(memory::close);
            polled = pollfd.allocateArray(2, memory);
            devicePart = pollfd.asSlice(polled, 0);
            wakeUpPart = pollfd.asSlice(polled, 1);
            event = memory.allocate(ValueLayout.JAVA_LONG, 2);
            address = Calls.CREATE_COMP_CHANNEL.object("create a completion channel on " + device, context)
                    .reinterpret(ibv_comp_channel.sizeof());
            undo.add(() -> Calls.DESTROY_COMP_CHANNEL.attempt(address));
            nativeAddress = address.address();
            descriptor = ibv_comp_channel.fd(address);
            Calls.doNotBlock(descriptor);
            wakeUps = EventDescriptor.open(error -> EpollSet.failure("eventfd", error));
            undo.commit();
        }
        watch(devicePart, descriptor);
        watch(wakeUpPart, wakeUps.number());
    }

    private static void watch(MemorySegment part, int number) {
        pollfd.fd(part, number);
        pollfd.events(part, (short) Libc.POLLIN());
    }

    /** The {@code ibv_comp_channel}. */
    public MemorySegment address() {
        return address;
    }

    /**
     * Adds a queue that was made for this channel.
     *
     * @param cq its {@code ibv_cq}, whose context becomes the place of the queue here
     * @return that place, for {@link #remove}
     */
    public int add(WatchedQueue queue, MemorySegment cq) {
        lock.lock();
        try {
            int place = taken.nextClearBit(0);
            if (place == queues.length) {
                queues = Arrays.copyOf(queues, 2 * place);
            }
            taken.set(place);
            queues[place] = queue;
            ibv_cq.cq_context(cq, MemorySegment.ofAddress(place));
            return place;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a queue that is destroyed. */
    public void remove(int place) {
        lock.lock();
        try {
            taken.clear(place);
            queues[place] = null;
        } finally {
            lock.unlock();
        }
    }

    /** Readable while the device has events that no thread has read. */
    public int descriptor() {
        return descriptor;
    }

    /** How often {@link #signal} was called, for {@link #await}. */
    public long signals() {
        return signals.get();
    }

    /** Something changed that threads may wait for. */
    public void signal() {
        signals.incrementAndGet();
        // A thread that comes in later sees the new count.
        if (inside > 0) {
            lock.lock();
            try {
                signalLocked();
            } finally {
                lock.unlock();
            }
        }
    }

    private void signalLocked() {
        changed.signalAll();
        if (polling != null && polling != Thread.currentThread()) {
            wakeUps.raise();
        }
    }

    /** The thread in poll(2) was interrupted. It may have left since: then the next one returns early. */
    private void wakePolling() {
        lock.lock();
        try {
            if (polling != null) {
                wakeUps.raise();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there was a signal after so many, or for some time; it may return earlier. Events of the device are read, and their
     * queues notified.
     *
     * @throws org.panamaverbs.WaitInterruptedException if the thread was interrupted
     */
    public void await(long seen, long nanos) {
        if (Thread.currentThread().isInterrupted()) {
            throw Waits.interrupted(new InterruptedException());
        }
        lock.lock();
        inside++;
        try {
            if (closed || signals.get() != seen) {
                return;
            }
            if (polling == null && !Thread.currentThread().isVirtual()) {
                poll(nanos);
            } else {
                park(seen, nanos);
            }
        } finally {
            inside--;
            left.signalAll();
            lock.unlock();
        }
    }

    /** Under the lock, which it gives back meanwhile. */
    private void poll(long nanos) {
        polling = Thread.currentThread();
        lock.unlock();
        try {
            pollOnce(nanos);
        } finally {
            lock.lock();
            polling = null;
            if (inside > 1) {
                // One of the others is to poll now.
                signals.incrementAndGet();
                changed.signalAll();
            }
        }
    }

    private void pollOnce(long nanos) {
        int ready;
        interrupts.enter();
        try {
            ready = Libc.poll(polled, 2, millis(nanos));
        } finally {
            interrupts.leave();
        }
        if (ready > 0) {
            if (pollfd.revents(wakeUpPart) != 0) {
                wakeUps.clear();
            }
            if ((pollfd.revents(devicePart) & Libc.POLLIN()) != 0) {
                read();
            } else if (pollfd.revents(devicePart) != 0) {
                // The device is gone, and its descriptor reports that at each poll. The event reader fails the device.
                pollfd.fd(devicePart, -1);
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Waits.interrupted(new InterruptedException());
        }
    }

    /** Rounded up: a shorter wait would spin for the rest. */
    private static int millis(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, nanos / MILLI + (nanos % MILLI > 0 ? 1 : 0));
    }

    /** Under the lock. */
    private void park(long seen, long nanos) {
        if (polling == null) {
            reader.watch(this);
        }
        long rest = nanos;
        while (signals.get() == seen && rest > 0) {
            rest = Waits.await(changed, rest);
        }
    }

    /** Reads an event of the device, if there is one, and notifies its queue. */
    void read() {
        WatchedQueue queue = next();
        if (queue != null) {
            queue.onEvent();
        }
    }

    /**
     * Reads an event of the device and acknowledges it; never waits.
     *
     * @return the queue that it is of, which the caller notifies, or {@code null} if there is none
     */
    public WatchedQueue next() {
        WatchedQueue queue;
        lock.lock();
        try {
            long place = event.address();
            if (closed || !EventCalls.next(nativeAddress, place, place + Long.BYTES)) {
                return null;
            }
            // Until the event is acknowledged, no thread can have destroyed the queue.
            queue = queues[(int) NativeMemory.getLong(place + Long.BYTES)];
            EventCalls.acknowledge(NativeMemory.getLong(place));
        } finally {
            lock.unlock();
        }
        signal();
        return queue;
    }

    /** Returns when each thread has left that waits; the caller has made that their waits end, and destroyed the queues. */
    @Override
    public void close() {
        lock.lock();
        try {
            while (inside > 0) {
                signals.incrementAndGet();
                signalLocked();
                left.awaitUninterruptibly();
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        reader.unwatch(this);
        Calls.DESTROY_COMP_CHANNEL.attempt(address);
        wakeUps.close();
        memory.close();
    }
}

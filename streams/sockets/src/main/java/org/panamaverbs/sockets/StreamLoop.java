package org.panamaverbs.sockets;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Workers;

/**
 * Streams of one device that share a completion queue. One thread at a time turns it ({@link #turn}): it takes completions, runs tasks, and
 * tells the listeners of streams that have changed. A program with an event loop makes one for each of its threads.
 */
// Tested by VerbsSocketTest.
public final class StreamLoop implements AutoCloseable {
    private static final int FIRST_STREAMS = 64;
    private static final int BATCH = 64;
    /** How many completions a stream can have outstanding. */
    private static final int ENTRIES = MessagePort.SENDS + MessagePort.RECEIVES;
    private static final long CLOSE_NANOS = 1_000_000;

    private final Device device;
    private final CompletionQueue queue;
    private final BlockPool pool = new BlockPool();
    private final StreamConnection.Resources resources;
    private final Supplier<ReentrantLock> locks;
    private final Completions completions = Completions.allocate(BATCH);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<ByteStream> streams = ConcurrentHashMap.newKeySet();
    /** The streams that have changed in this turn, the last one first. */
    private final AtomicReference<@Nullable ByteStream> touched = new AtomicReference<>();
    private final Complaints complaints = new Complaints(StreamLoop.class);
    private final Complaints.Message completionFailed = complaints.message("a completion of a stream of device {} could not be taken");
    private final Complaints.Message listenerFailed = complaints.message("the listener of a stream of device {} failed");
    private final Complaints.Message taskFailed = complaints.message("a task of the streams of device {} failed");
    private final Runnable releaseIdle = () -> streams.forEach(ByteStream::releaseIfIdle);
    private volatile @Nullable Thread turning;
    private volatile Runnable waker = this::wakeup;
    private final StreamTimers timers = new StreamTimers();

    private StreamLoop(Device device, boolean carries, Supplier<ReentrantLock> locks) {
        this.device = device;
        this.locks = locks;
        int entries = Math.min(FIRST_STREAMS * ENTRIES, device.attributes().maximumCompletionQueueEntries());
        queue = device.createCompletionQueue(CompletionQueueAttributes.of(entries).withAdmission());
        resources = new StreamConnection.Resources(device, queue, pool, this::execute, carries);
    }

    /**
     * Opens one.
     *
     * @param device an open device; it stays open until the loop is closed
     * @return closed by the caller
     */
    public static StreamLoop open(Device device) {
        return open(device, true, ReentrantLock::new);
    }

    /**
     * Opens one.
     *
     * @param carries whether messages may carry bytes; else its streams behave to all peers as to those of rdma-core
     * @param locks   makes the lock of each stream
     */
    static StreamLoop open(Device device, boolean carries, Supplier<ReentrantLock> locks) {
        return new StreamLoop(device, carries, locks);
    }

    /** {@return the device} */
    public Device device() {
        return device;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** {@return what its streams share} */
    StreamConnection.Resources resources() {
        return resources;
    }

    ReentrantLock newLock() {
        return locks.get();
    }

    BlockPool pool() {
        return pool;
    }

    /** {@return how many streams it has that were not closed, or not freed yet} */
    public int streams() {
        return streams.size();
    }

    /** {@return whether a stream was closed, and bytes may still have to go out: a program that ends now would lose them} */
    public boolean isClosing() {
        for (ByteStream stream : streams) {
            if (stream.isClosing()) {
                return true;
            }
        }
        return false;
    }

    /** {@return how many bytes of memory its streams have, or have had and left for others} */
    public long memory() {
        return pool.bytes();
    }

    /**
     * Opens a stream to a peer. It is connecting when this returns.
     *
     * @param route    the peer's address, and how to get there
     * @param timeout  how long that may take at most
     * @param options  how it behaves
     * @param listener learns that it is connected, or why it is not ({@link ByteStream#failure()}), for example because the device's
     *                 completion queue has no room for one more
     * @return closed by the caller
     * @throws ResourceException if the system has no thread
     */
    public ByteStream connect(Route route, Duration timeout, StreamOptions options, StreamListener listener) {
        return connect(() -> ConnectionManager.of(device).connector(route, timeout), timeout, options, listener);
    }

    /**
     * Opens a stream to a peer. It is connecting when this returns.
     *
     * @param connector of the loop's device; closed by the stream, and by the caller if this throws
     * @param timeout   how long that may take at most
     * @param options   how it behaves
     * @param listener  learns that it is connected, or why it is not ({@link ByteStream#failure()})
     * @return closed by the caller
     * @throws ResourceException if the system has no thread
     */
    public ByteStream connect(Connector connector, Duration timeout, StreamOptions options, StreamListener listener) {
        return connect(() -> connector, timeout, options, listener);
    }

    private ByteStream connect(Supplier<Connector> source, Duration timeout, StreamOptions options, StreamListener listener) {
        ByteStream stream = add(options, listener);
        begin(stream, () -> stream.connection().connect(source, timeout));
        return stream;
    }

    private void begin(ByteStream stream, Runnable beginning) {
        try {
            Workers.execute(beginning);
        } catch (VerbsException | OutOfMemoryError e) {
            released(stream);
            throw e;
        }
    }

    /**
     * Opens a stream to a peer that asked for it. It is connecting when this returns.
     *
     * @param request  from a listener of the loop's device
     * @param timeout  how long that may take at most
     * @param options  how it behaves
     * @param listener learns that it is connected, or why it is not ({@link ByteStream#failure()}), for example because the device's
     *                 completion queue has no room for one more
     * @return closed by the caller
     * @throws ResourceException if the system has no thread; the request is closed then
     */
    public ByteStream accept(ConnectionRequest request, Duration timeout, StreamOptions options, StreamListener listener) {
        try {
            ByteStream stream = add(options, listener);
            begin(stream, () -> stream.connection().accept(request, timeout));
            return stream;
        } catch (VerbsException | OutOfMemoryError e) {
            request.close();
            throw e;
        }
    }

    private ByteStream add(StreamOptions options, StreamListener listener) {
        ByteStream stream = new ByteStream(this, options, listener);
        streams.add(stream);
        return stream;
    }

    void released(ByteStream stream) {
        streams.remove(stream);
    }

    /**
     * Waits for completions, tasks or a {@link #wakeup()}, and does what there is to do.
     *
     * @param timeout how long it waits at most; 0 does not wait
     * @return how many completions and tasks there were
     * @throws org.panamaverbs.SystemException          if the device has failed
     * @throws org.panamaverbs.WaitInterruptedException if the thread was interrupted
     * @throws org.panamaverbs.ClosedException          if it is closed
     */
    public int turn(Duration timeout) {
        Duration watch = timers.mostWait();
        Duration most = streams.isEmpty() || timeout.compareTo(watch) < 0 ? timeout : watch;
        boolean due = !tasks.isEmpty() || touched.get() != null;
        int count;
        try {
            count = most.isZero() || due ? queue.poll(completions) : queue.await(completions, most);
        } catch (RuntimeException e) {
            // Streams of a device that has failed learn of their end.
            work();
            throw e;
        }
        while (completions.next()) {
            handle(completions);
        }
        return count + work();
    }

    /** Takes the completion that the cursor is on. */
    void handle(Completions completion) {
        turning = Thread.currentThread();
        if (completion.attachment() instanceof ByteStream.Attachment attachment) {
            ByteStream stream = attachment.stream();
            try {
                stream.onCompletion(completion);
            } catch (RuntimeException | Error e) {
                // It ends that stream, and no other.
                completionFailed.error(device.name(), e);
                cut(stream, e);
            }
        }
    }

    /** Runs tasks, and tells listeners. */
    int work() {
        if (timers.isIdleDue(turning == null)) {
            guarded(releaseIdle);
        }
        turning = Thread.currentThread();
        int count = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guarded(task);
            count++;
        }
        timers.endLate();
        ByteStream changed = touched.getAndSet(null);
        while (changed != null) {
            ByteStream next = changed.nextTouched;
            changed.nextTouched = null;
            changed.touched.set(false);
            tell(changed);
            changed = next;
        }
        if (touched.get() != null) {
            queue.wakeup();
        }
        turning = null;
        return count;
    }

    private void tell(ByteStream stream) {
        try {
            stream.turned();
        } catch (RuntimeException | Error e) {
            // The program's listener ends its own stream, and no other.
            listenerFailed.error(device.name(), e);
            cut(stream, e);
        }
    }

    /** Ends all streams, whose listeners learn that in the next turn. */
    void cutAll(Throwable reason) {
        streams.forEach(stream -> cut(stream, reason));
    }

    /** Without memory for that, a later turn tries it again. */
    private void cut(ByteStream stream, Throwable reason) {
        try {
            stream.abort(StreamOpening.failure(reason));
        } catch (RuntimeException | Error e) {
            LockSupport.parkNanos(CLOSE_NANOS);
            touch(stream);
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // The next task runs nevertheless.
            taskFailed.error(device.name(), e);
        }
    }

    void linger(ByteStream stream, Duration time) {
        if (!stream.hasEnded()) {
            execute(() -> timers.linger(stream::hasEnded,
                    () -> stream.abort(new IOException("the peer did not take what was written in time")), time));
        }
    }

    /** The listener of a stream is told at the end of this turn, or of the next one. */
    void touch(ByteStream stream) {
        if (stream.touched.compareAndSet(false, true)) {
            ByteStream head;
            do {
                head = touched.get();
                stream.nextTouched = head;
            } while (!touched.compareAndSet(head, stream));
            if (turning != Thread.currentThread()) {
                waker.run();
            }
        }
    }

    /**
     * Runs a task in the next turn, on the thread that turns the loop.
     *
     * @param task must not wait
     */
    public void execute(Runnable task) {
        tasks.add(task);
        if (turning != Thread.currentThread()) {
            waker.run();
        }
    }

    /** The thread that turns it is woken by something else than {@link #wakeup}. */
    void onWakeup(Runnable other) {
        waker = other;
    }

    /** Ends the wait of one {@link #turn}: of the one that waits, or else of the next one. */
    public void wakeup() {
        queue.wakeup();
    }

    /** Cuts all streams and frees their memory. No other thread turns it any more. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        while (!streams.isEmpty()) {
            streams.forEach(ByteStream::abort);
            work();
            LockSupport.parkNanos(CLOSE_NANOS);
            interrupted |= Thread.interrupted();
        }
        // Listeners learn that the last streams have given their memory back.
        work();
        queue.close();
        pool.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

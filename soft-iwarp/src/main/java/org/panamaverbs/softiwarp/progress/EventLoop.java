package org.panamaverbs.softiwarp.progress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for events and drives the links they are for. One thread at a time leads: it alone selects, receives and runs tasks and timers.
 *
 * <p>A loop has a progress thread, which leads while nobody else does, so that a peer's Read and Write proceed while the application does
 * something else. A thread that polls a completion queue in vain drives the loop itself: it asks the progress thread to step back, leads
 * for one {@link #turn} at a time, and so sees what arrived without any switch of threads. A thread that waits leads likewise, in turns that
 * wait ({@link #lead}), unless others wait too: those follow whoever leads, and then that is the progress thread. The progress thread
 * meanwhile looks every millisecond whether anybody still drives: if not it leads one turn, and some milliseconds later for good.
 */
public final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final VarHandle LEADING = Fields.of(MethodHandles.lookup(), "leading", int.class);
    /** Written without a fence, as each turn of a thread that spins writes them: who sees them late looks once more, or once too often. */
    private static final VarHandle LEADER = Fields.of(MethodHandles.lookup(), "leader", Thread.class);
    private static final VarHandle DRIVES = Fields.of(MethodHandles.lookup(), "drives", long.class);
    private static final long WATCH_NANOS = 1_000_000;
    /** So many times in a row has nobody driven when the progress thread leads again. */
    private static final int IDLE_LOOKS = 8;
    /** How often a thread that waits tries to lead, once the progress thread was asked to step back: some 50 microseconds. */
    private static final int TRIES = 1000;
    private static final int SCRATCH_SIZE = 64 * 1024;

    private final Multiplexer multiplexer;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_SIZE, 64);

    /** Of the leader: links that may have something to receive, and timers. */
    private final ArrayDeque<StreamDriver> ready = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Set<StreamDriver> links = new HashSet<>();
    private final DirectReads directReads;

    /** Whether some thread leads: acquired and released by its compare-and-set, which hands the leader's fields over. */
    @SuppressWarnings("unused") // by the handle
    private volatile int leading;
    private volatile Thread leader;
    /** A thread that polls or waits wants to lead: the progress thread steps back. */
    private volatile boolean wanted;
    /** Threads that wait and do not lead: somebody else must. */
    private final AtomicInteger followers = new AtomicInteger();
    /** The progress thread is to lead again at once. */
    private volatile boolean handedBack;
    /** Counts the turns of others; a lost increment does no harm. */
    private volatile long drives;
    private volatile boolean closed;

    private record Timer(long deadline, Runnable task) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.signum(deadline - other.deadline);
        }
    }

    /**
     * Starts a loop.
     *
     * @param multiplexer closed with the loop
     * @param name        of its progress thread
     */
    public EventLoop(Multiplexer multiplexer, String name) {
        this.multiplexer = multiplexer;
        this.directReads = new DirectReads(multiplexer);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    /** What its channels are made by. */
    public Multiplexer multiplexer() {
        return multiplexer;
    }

    /** Memory for bytes that nobody wants; of the leader. */
    MemorySegment scratch() {
        return scratch;
    }

    private boolean tryLead() {
        if (!LEADING.compareAndSet(this, 0, 1)) {
            return false;
        }
        LEADER.setOpaque(this, Thread.currentThread());
        return true;
    }

    private void cede() {
        LEADER.setOpaque(this, null);
        LEADING.setRelease(this, 0);
    }

    /** Counts a turn that somebody else than the progress thread wants to lead. */
    private void count() {
        DRIVES.setOpaque(this, (long) DRIVES.getOpaque(this) + 1);
    }

    /** Whether the calling thread leads. */
    public boolean isLeader() {
        return leader == Thread.currentThread();
    }

    private void run() {
        while (!closed) {
            if (tryLead()) {
                try {
                    while (!closed && !wanted) {
                        turn(-1);
                    }
                } finally {
                    cede();
                }
            }
            watch();
        }
        while (!tryLead()) {
            Thread.onSpinWait();
        }
        // What was sent last is given the time to arrive.
        long deadline = System.nanoTime() + StreamDriver.LINGER_NANOS;
        for (long left = StreamDriver.LINGER_NANOS; !links.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            turn(left);
        }
        List.copyOf(links).forEach(StreamDriver::finish);
        runTasks();
        cede();
        multiplexer.close();
    }

    /**
     * Waits until nobody has driven for a while. Until then it looks for one turn now and then: who posts long messages may transmit for
     * milliseconds before it polls again, and to lead meanwhile would cost it a part of its processor, and then the way back.
     */
    private void watch() {
        int idle = 0;
        // Looked at before the first wait: what unparks this thread may have been used up by a multiplexer that parks.
        while (!closed && !handedBack && idle < IDLE_LOOKS) {
            long before = drives;
            LockSupport.parkNanos(WATCH_NANOS);
            if (drives != before) {
                idle = 0;
            } else if (!handedBack && tryLead()) {
                idle++;
                try {
                    turn(0);
                } finally {
                    cede();
                }
                // Who came to follow meanwhile took this turn for the first of many.
                VarHandle.fullFence();
                if (followers.get() > 0) {
                    break;
                }
            }
        }
        handedBack = false;
        wanted = false;
    }

    private void handBack() {
        handedBack = true;
        LockSupport.unpark(thread);
    }

    /** Lets the calling thread lead for one turn that does not wait; where it cannot, it will be able to soon. */
    public void drive() {
        count();
        if (tryLead()) {
            try {
                if (!probe()) {
                    turn(0);
                }
            } finally {
                cede();
            }
        } else if (leader == thread && !wanted) {
            wanted = true;
            multiplexer.wakeUp();
        }
    }

    /**
     * Lets the calling thread lead for one turn that waits.
     *
     * @param here  whether it need not wait any more
     * @param nanos how long at most
     * @return {@code false} where somebody else leads, and goes on to
     */
    boolean lead(BooleanSupplier here, long nanos) {
        if (closed || followers.get() > 0 || !takeLead()) {
            return false;
        }
        try {
            // Only now: what came before was told to another leader.
            if (!here.getAsBoolean()) {
                turn(nanos);
            }
        } finally {
            count();
            cede();
        }
        // Who comes to follow counts itself, then looks who leads: either we see it, or it sees that nobody does.
        VarHandle.fullFence();
        if (followers.get() > 0) {
            handBack();
        }
        return true;
    }

    private boolean takeLead() {
        count();
        if (tryLead()) {
            return true;
        }
        if (leader != thread) {
            return false;
        }
        wanted = true;
        multiplexer.wakeUp();
        for (int i = 0; i < TRIES; i++) {
            if (tryLead()) {
                return true;
            }
            if (i % 16 == 15) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
        return false;
    }

    /** The calling thread waits for what whoever leads brings, until {@link #unfollow}. */
    void follow() {
        followers.incrementAndGet();
        Thread now = leader;
        // The progress thread may lead and be about to step back, for the calling thread, which polled before it came to wait.
        if (now == null || now == thread && wanted) {
            handBack();
        }
    }

    void unfollow() {
        followers.decrementAndGet();
    }

    /** Has the leader look again. */
    void wakeUp() {
        multiplexer.wakeUp();
    }

    /** A turn that only reads from the links, where they are few. */
    private boolean probe() {
        if (!ready.isEmpty() || !tasks.isEmpty() || !directReads.isTurn()) {
            return false;
        }
        for (int i = 0; i < directReads.size(); i++) {
            StreamDriver link = directReads.driver(i);
            if (link != null && receive(link, true)) {
                ready.add(link);
            }
        }
        directReads.read();
        return true;
    }

    private void turn(long timeoutNanos) {
        runTasks();
        long next = runTimers();
        long wait = timeoutNanos;
        if (!ready.isEmpty()) {
            wait = 0;
        } else if (next >= 0 && (wait < 0 || next < wait)) {
            wait = next;
        }
        if (!directReads.prepare(timeoutNanos != 0)) {
            wait = wait < 0 ? WATCH_NANOS : Math.min(wait, WATCH_NANOS);
        }
        multiplexer.select(wait);
        for (int i = ready.size(); i > 0; i--) {
            StreamDriver link = ready.poll();
            if (receive(link, false)) {
                ready.add(link);
            }
        }
    }

    private static boolean receive(StreamDriver link, boolean probing) {
        try {
            return probing ? link.probe() : link.receive();
        } catch (RuntimeException | Error e) {
            LOG.error("receiving failed; the connection is given up", e);
            link.giveUp();
            return false;
        }
    }

    /** A link has started; by the leader. */
    void add(StreamDriver link) {
        links.add(link);
        directReads.choose(links);
    }

    /** A link is gone; by the leader. */
    void remove(StreamDriver link) {
        links.remove(link);
        directReads.choose(links);
    }

    /** Puts a link among those that may have something to receive; by the leader. */
    void addReady(StreamDriver link) {
        ready.add(link);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guard(task);
        }
    }

    /** Runs the timers that are due; returns the nanoseconds until the next, or -1. */
    private long runTimers() {
        while (!timers.isEmpty()) {
            long left = timers.peek().deadline - System.nanoTime();
            if (left > 0) {
                return left;
            }
            guard(timers.poll().task);
        }
        return -1;
    }

    private static void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // A defect: it must not stop the other connections of this loop.
            LOG.error("a task of the event loop failed", e);
        }
    }

    /** Has the leader run a task soon. */
    public void execute(Runnable task) {
        tasks.add(task);
        multiplexer.wakeUp();
    }

    /** Has the leader run a task after a while. */
    public void schedule(long delayNanos, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + delayNanos, task);
        if (isLeader()) {
            timers.add(timer);
        } else {
            execute(() -> timers.add(timer));
        }
    }

    /** Has the leader run a task, and waits until it has; at once where the caller leads. After the loop was closed it runs here. */
    public void call(Runnable task) {
        if (isLeader()) {
            guard(task);
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        execute(() -> {
            try {
                task.run();
            } finally {
                done.countDown();
            }
        });
        boolean interrupted = false;
        while (true) {
            try {
                if (done.await(1, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            // The progress thread may be watching, or gone: then this thread runs what is due.
            if (tryLead()) {
                try {
                    runTasks();
                } finally {
                    cede();
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        multiplexer.wakeUp();
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

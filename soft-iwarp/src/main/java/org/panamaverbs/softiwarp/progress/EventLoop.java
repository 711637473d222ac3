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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for events and drives the connections they are for. One thread at a time leads ({@link Leadership}): it alone selects, receives, and
 * runs tasks and timers.
 *
 * <p>A loop has a progress thread, which leads while no other thread does, so that a peer's Reads and Writes proceed while the application
 * does something else. A thread that polls a completion queue and finds nothing drives the loop itself: it asks the progress thread to step
 * back, leads for one turn at a time ({@link #drive}), and so sees what arrived without a switch of threads. A thread that waits leads
 * likewise, in turns that wait ({@link #lead}), unless other threads wait too: those follow the leader, and then that is the progress
 * thread. Meanwhile the progress thread checks every millisecond whether another thread still leads. If none does, it leads one turn, and
 * after {@value IdlePolicy#WATCH_CHECKS} such checks for good: a program that posts long messages transmits for as long before it polls
 * again.
 */
public final class EventLoop implements Loop, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    /** Written without order, in each turn of a thread that busy-polls: the progress thread that sees it late checks once more. */
    private static final VarHandle DRIVES = Fields.of(MethodHandles.lookup(), "drives", long.class);
    private static final int SCRATCH_SIZE = 64 * 1024;
    /** After a failed turn the loop rests, and logs one failure a second. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Multiplexer multiplexer;
    private final Thread thread;
    private final Leadership leadership;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_SIZE, 64);

    /** Of the leader: drivers that may have something to receive or transmit, timers, all drivers. */
    private final ArrayDeque<StreamDriver> ready = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Set<StreamDriver> drivers = new HashSet<>();
    private final DirectReads directReads;
    private final IdlePolicy idle;
    private long lastLog;

    /** Counts the turns of other threads; a lost increment does no harm. */
    private volatile long drives;
    private volatile boolean closed;

    /**
     * Starts a loop.
     *
     * @param multiplexer   closed with the loop
     * @param name          of its progress thread
     * @param busyPollNanos how long a thread that waits polls before it sleeps, as long as that finds something now and then
     */
    public EventLoop(Multiplexer multiplexer, String name, long busyPollNanos) {
        this.multiplexer = multiplexer;
        this.directReads = new DirectReads(multiplexer);
        this.idle = new IdlePolicy(busyPollNanos);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        this.leadership = new Leadership(thread);
        thread.start();
    }

    /** What its channels are made by. */
    public Multiplexer multiplexer() {
        return multiplexer;
    }

    @Override
    public long now() {
        return System.nanoTime();
    }

    @Override
    public MemorySegment scratch() {
        return scratch;
    }

    /** Counts a turn that another thread than the progress thread wants to lead. */
    private void count() {
        DRIVES.setOpaque(this, (long) DRIVES.getOpaque(this) + 1);
    }

    @Override
    public boolean isLeader() {
        return leadership.isLeader();
    }

    private void run() {
        while (!closed) {
            if (leadership.takeBack()) {
                boolean followed;
                try {
                    while (!closed && !leadership.stepsBack()) {
                        turn(-1);
                    }
                } finally {
                    followed = leadership.cede();
                }
                if (followed) {
                    continue;
                }
            }
            watch();
        }
        while (!leadership.tryLeadForAll()) {
            Thread.onSpinWait();
        }
        // Connections that are ending have time to send what they have.
        long deadline = System.nanoTime() + CloseSequence.PATIENCE_NANOS;
        for (long left = CloseSequence.PATIENCE_NANOS; !drivers.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            turn(left);
        }
        List.copyOf(drivers).forEach(StreamDriver::closeNow);
        runTasks();
        leadership.cede();
        multiplexer.close();
    }

    /** Waits until no other thread has led for a while. Until then it leads for one turn now and then. */
    private void watch() {
        int checks = 0;
        // Checked before the first wait: what unparks this thread may have been used up by a multiplexer that parks.
        while (!closed && !leadership.isHandedBack() && checks < IdlePolicy.WATCH_CHECKS) {
            long before = drives;
            LockSupport.parkNanos(IdlePolicy.WATCH_NANOS);
            if (drives != before) {
                checks = 0;
            } else if (!leadership.isHandedBack() && leadership.tryLeadForAll()) {
                checks++;
                boolean followed;
                try {
                    turn(0);
                } finally {
                    followed = leadership.cede();
                }
                if (followed) {
                    return;
                }
            }
        }
    }

    private void cede() {
        if (leadership.cede()) {
            handBack();
        }
    }

    private void handBack() {
        leadership.handBack();
        LockSupport.unpark(thread);
    }

    /** Lets the calling thread lead for one turn that does not wait; if it cannot, it soon can. */
    public void drive() {
        count();
        if (leadership.tryLead()) {
            try {
                if (!readDirectly()) {
                    turn(0);
                }
            } finally {
                cede();
            }
        } else if (leadership.want()) {
            multiplexer.wakeUp();
        }
    }

    /**
     * Lets the calling thread lead for one turn that waits.
     *
     * @param here  whether it need not wait any more
     * @param nanos how long at most
     * @return {@code false} if another thread leads, and goes on to
     */
    boolean lead(BooleanSupplier here, long nanos) {
        if (closed || !takeLead()) {
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
        return true;
    }

    private boolean takeLead() {
        count();
        if (leadership.tryLead()) {
            return true;
        }
        if (!leadership.isLedByProgress() || leadership.hasFollowers()) {
            return false;
        }
        if (leadership.want()) {
            multiplexer.wakeUp();
        }
        for (int i = 0; i < IdlePolicy.LEAD_ATTEMPTS; i++) {
            if (leadership.tryLead()) {
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

    /** The calling thread waits for what a leader brings, until {@link #unfollow}. */
    void follow() {
        if (leadership.follow()) {
            handBack();
        }
    }

    void unfollow() {
        leadership.unfollow();
    }

    /** Has the leader look again. */
    void wakeUp() {
        multiplexer.wakeUp();
    }

    /** A turn that only reads from the connections, if they are few. */
    private boolean readDirectly() {
        if (!ready.isEmpty() || !tasks.isEmpty() || !directReads.isTurn()) {
            return false;
        }
        for (int i = 0; i < directReads.size(); i++) {
            StreamDriver driver = directReads.driver(i);
            if (driver != null && driver.readDirectly()) {
                ready.add(driver);
            }
        }
        directReads.onTurn();
        return true;
    }

    private void turn(long timeoutNanos) {
        try {
            runTasks();
            select(timeoutNanos);
            for (int i = ready.size(); i > 0; i--) {
                StreamDriver driver = ready.poll();
                if (driver.onTurn()) {
                    ready.add(driver);
                }
            }
        } catch (RuntimeException | Error e) {
            onFailedTurn(e);
        }
    }

    /** A failure of the multiplexer, or a defect: the loop goes on, for the sake of all connections. */
    private void onFailedTurn(Throwable failure) {
        long now = System.nanoTime();
        if (!closed && (lastLog == 0 || now - lastLog > LOG_NANOS)) {
            lastLog = now;
            LOG.error("a turn of the event loop failed; the loop goes on", failure);
        }
        LockSupport.parkNanos(REST_NANOS);
    }

    private void select(long timeoutNanos) {
        long next = runTimers();
        long wait = timeoutNanos;
        if (!ready.isEmpty()) {
            wait = 0;
        } else if (next >= 0 && (wait < 0 || next < wait)) {
            wait = next;
        }
        if (!directReads.prepare(timeoutNanos != 0)) {
            wait = wait < 0 ? IdlePolicy.WATCH_NANOS : Math.min(wait, IdlePolicy.WATCH_NANOS);
        }
        if (wait == 0 || !busyPoll(idle.busyPollNanos(wait))) {
            multiplexer.select(wait);
        }
    }

    /** Selects again and again for a while; {@code true} if that found something. */
    private boolean busyPoll(long nanos) {
        if (nanos == 0) {
            return false;
        }
        long start = System.nanoTime();
        while (multiplexer.isBusyPolled()) {
            if (multiplexer.select(0) > 0) {
                idle.onFound();
                return true;
            }
            if (System.nanoTime() - start > nanos) {
                idle.onEmpty();
                return false;
            }
        }
        return false;
    }

    @Override
    public void add(StreamDriver driver) {
        drivers.add(driver);
        directReads.choose(drivers);
    }

    @Override
    public void remove(StreamDriver driver) {
        drivers.remove(driver);
        directReads.choose(drivers);
    }

    @Override
    public void addReady(StreamDriver driver) {
        ready.add(driver);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guard(task);
        }
    }

    /** Runs the timers that are due; returns the nanoseconds until the next, or -1. */
    private long runTimers() {
        while (!timers.isEmpty()) {
            Timer timer = timers.peek();
            Runnable task = timer.task();
            long left = timer.deadline() - now();
            if (task != null && left > 0) {
                return left;
            }
            timers.poll();
            if (task != null) {
                guard(task);
            }
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

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        multiplexer.wakeUp();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Timer timer = new Timer(now() + delayNanos, task);
        if (isLeader()) {
            timers.add(timer);
        } else {
            execute(() -> timers.add(timer));
        }
        return timer;
    }

    /** As in {@link Loop}; after the loop was closed the calling thread runs it. */
    @Override
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
                if (done.await(1, TimeUnit.MILLISECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            // The progress thread may be watching, or gone: then this thread runs what is due.
            if (leadership.tryLeadForAll()) {
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

package org.panamaverbs.softiwarp.progress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.spi.BusyPoll;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/**
 * Waits for events and drives the connections that they belong to. One thread at a time leads ({@link Leadership}): only the leader
 * selects, receives, and runs tasks and timers.
 *
 * <p>Each loop has a progress thread. It leads while no other thread does, so that a peer's Reads and Writes proceed while the program does
 * something else. A thread that busy-polls an empty completion queue asks the progress thread to step back and leads for one turn at a time
 * ({@link #drive}): it sees arriving data without a switch of threads. A waiting thread leads likewise, in turns that wait ({@link #lead}).
 * If several threads wait, they all follow, and the progress thread leads.
 *
 * <p>While another thread leads, the progress thread checks whether that thread still does: after a millisecond, and after twice as long,
 * up to eight milliseconds, each time that it does. After a check that finds no leader it leads for one turn, and checks each millisecond;
 * after {@value IdlePolicy#WATCH_CHECKS} such checks in a row it leads for good. It does not lead for good at once because a program that
 * posts long messages may spend milliseconds transmitting before it polls again.
 */
public final class EventLoop implements Loop, AutoCloseable {
    /** Opaque: each turn of a busy-polling thread writes it. If the progress thread sees that late, it leads one turn too many. */
    private static final VarHandle DRIVES = Fields.of(MethodHandles.lookup(), "drives", long.class);
    private static final int SCRATCH_SIZE = 64 * 1024;
    /** After a failed turn the loop pauses. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Multiplexer multiplexer;
    private final Thread thread;
    private final Leadership leadership;
    private final Handover handover;
    private final Tasks tasks;
    /** Of the JDK: a task that runs after the end of the loop meets an exception, and no memory of others. */
    private final Arena memory = Arena.ofShared();
    private final MemorySegment scratch = memory.allocate(SCRATCH_SIZE, 64);

    private final Complaints complaints = new Complaints(EventLoop.class);
    private final Complaints.Message turnFailed = complaints.message("a turn of the event loop {} failed; the loop continues");

    // Only the leader uses the fields from here to isSignalled.
    /** Drivers that may have something to receive or transmit. */
    private final ArrayDeque<Driver> ready = new ArrayDeque<>();
    private final Timers timers;
    private final Set<Driver> drivers = new HashSet<>();
    private final Set<Attempt> attempts = new HashSet<>();
    private final DirectReads directReads;
    private final BusyPoll idle;
    /** A task or a timer of this turn has brought what a thread waits for, which may be the leader itself: this turn does not wait. */
    private boolean isSignalled;

    /** Counts the turns of other threads than the progress thread; a lost increment does no harm. */
    private volatile long drives;
    private volatile boolean closed;

    /**
     * Starts a loop.
     *
     * @param multiplexer   the loop closes it when it ends
     * @param name          the name of the progress thread
     * @param busyPollNanos how long a waiting thread busy-polls before it sleeps; less often while that finds nothing
     */
    public EventLoop(Multiplexer multiplexer, String name, long busyPollNanos) {
        this.multiplexer = multiplexer;
        this.tasks = new Tasks(complaints.message("a task of the event loop {} failed"), name);
        this.timers = new Timers(tasks);
        this.directReads = new DirectReads(multiplexer);
        this.idle = new BusyPoll(busyPollNanos);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        this.leadership = new Leadership(thread);
        this.handover = new Handover(leadership, multiplexer::wakeUp, IdlePolicy.LEAD_ATTEMPTS);
        try (Rollback undo = new Rollback()) {
            undo.add(memory::close);
            thread.start();
            undo.commit();
        }
    }

    /** The multiplexer, which makes the channels of this loop. */
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

    /** Counts a turn of another thread than the progress thread. */
    private void count() {
        DRIVES.setOpaque(this, (long) DRIVES.getOpaque(this) + 1);
    }

    @Override
    public boolean isLeader() {
        return leadership.isLeader();
    }

    private void run() {
        while (!closed) {
            try {
                leadAndWatch();
            } catch (RuntimeException | Error e) {
                // Each turn has its own guard; this one catches failures between two turns.
                onFailedTurn(e);
            }
        }
        while (!leadership.tryLeadForAll()) {
            Thread.onSpinWait();
        }
        endAttempts();
        // Gives connections that are ending time to send the rest.
        long deadline = System.nanoTime() + CloseSequence.PATIENCE_NANOS;
        for (long left = CloseSequence.PATIENCE_NANOS; !drivers.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            turn(left);
            handover.answer();
        }
        try {
            List.copyOf(drivers).forEach(driver -> tasks.guard(driver::closeNow));
            tasks.run();
            endAttempts();
            memory.close();
        } finally {
            handover.stepBack();
            multiplexer.close();
        }
    }

    private void endAttempts() {
        List.copyOf(attempts).forEach(attempt -> tasks.guard(attempt::onLoopClosed));
    }

    /** Leads until another thread wants to, and then watches the others. */
    private void leadAndWatch() {
        if (leadership.takeBack()) {
            boolean followed;
            try {
                while (!closed && !leadership.stepsBack()) {
                    handover.answer();
                    turn(-1);
                }
            } finally {
                followed = handover.stepBack();
            }
            if (followed) {
                return;
            }
        }
        watch();
    }

    /** Watches the other threads until none has led for some checks. The progress thread leads for one turn after each such check. */
    private void watch() {
        int checks = 0;
        long nanos = IdlePolicy.WATCH_NANOS;
        // Checked before the first wait: a multiplexer that parks may have used up the permit of the thread that unparked this one.
        while (!closed && !leadership.isHandedBack() && checks < IdlePolicy.WATCH_CHECKS) {
            long before = drives;
            LockSupport.parkNanos(nanos);
            if (drives != before || leadership.isHandedBack() || !leadership.tryLeadForAll()) {
                checks = 0;
                nanos = Math.min(2 * nanos, IdlePolicy.LONGEST_WATCH_NANOS);
            } else {
                checks++;
                nanos = IdlePolicy.WATCH_NANOS;
                boolean followed;
                try {
                    turn(0);
                } finally {
                    followed = handover.stepBack();
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

    /** Lets the calling thread lead for one turn without waiting. If the progress thread leads, asks it to step back instead. */
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
     * @param here  whether the thread need not wait any more
     * @param nanos the longest time to wait, for the lead as well
     * @return {@code false} if the thread could not lead: another thread leads and continues, or the loop is closed; or if it need not wait
     *         any more, or was interrupted, before it led
     */
    boolean lead(BooleanSupplier here, long nanos) {
        long start = System.nanoTime();
        count();
        if (closed || !handover.take(here, nanos)) {
            return false;
        }
        try {
            long left = nanos - (System.nanoTime() - start);
            // Checked only now: the events before this moment went to another leader.
            if (left > 0 && !here.getAsBoolean()) {
                turn(left);
            }
        } finally {
            count();
            cede();
        }
        return true;
    }

    /** A thread that leads, or wants to, checks what it waits for. */
    void signal() {
        handover.signal();
        if (isLeader()) {
            isSignalled = true;
        } else {
            multiplexer.wakeUp();
        }
    }

    /** The calling thread waits while another leads, until {@link #unfollow}. */
    void follow() {
        if (leadership.follow()) {
            handBack();
        }
    }

    void unfollow() {
        leadership.unfollow();
    }

    /** Reads from the connections without asking the multiplexer; {@code false} if this turn has other work. */
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
            isSignalled = false;
            tasks.run();
            select(timeoutNanos);
            for (int i = ready.size(); i > 0; i--) {
                Driver driver = ready.poll();
                boolean again = true;
                try {
                    again = driver.onTurn();
                } finally {
                    // A driver whose turn failed gets another turn: otherwise its peer's bytes would stay unread.
                    if (again) {
                        ready.add(driver);
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            onFailedTurn(e);
        }
    }

    /** A failure of the multiplexer, or a bug: the loop continues, for the sake of all connections. */
    private void onFailedTurn(Throwable failure) {
        if (!closed) {
            turnFailed.error(thread.getName(), failure);
        }
        LockSupport.parkNanos(REST_NANOS);
    }

    /** Calls the handlers of the events that are there, or of the next ones. A wait begins with a busy-poll. */
    private void select(long timeoutNanos) {
        long wait = limit(timeoutNanos);
        long busyNanos = wait == 0 ? 0 : idle.nanos(wait);
        boolean polls = busyNanos != 0 && multiplexer.isBusyPolled();
        long start = polls ? System.nanoTime() : 0;
        // One call for both: the compiler copies the multiplexer's code to each call.
        while (multiplexer.select(polls ? 0 : wait) == 0 && polls) {
            if (System.nanoTime() - start > busyNanos) {
                idle.onEmpty();
                polls = false;
            } else {
                polls = multiplexer.isBusyPolled();
            }
        }
        if (polls) {
            idle.onFound();
        }
    }

    /** Runs the timers that are due; returns how long the multiplexer may wait then, in nanoseconds as for {@link Multiplexer#select}. */
    private long limit(long timeoutNanos) {
        long next = timers.run();
        long wait = timeoutNanos;
        if (!ready.isEmpty() || isSignalled) {
            wait = 0;
        } else if (next >= 0 && (wait < 0 || next < wait)) {
            wait = next;
        }
        if (!directReads.prepare(timeoutNanos != 0)) {
            wait = wait < 0 ? IdlePolicy.WATCH_NANOS : Math.min(wait, IdlePolicy.WATCH_NANOS);
        }
        return wait;
    }

    @Override
    public void add(Driver driver) {
        drivers.add(driver);
        directReads.choose(drivers);
    }

    @Override
    public void remove(Driver driver) {
        drivers.remove(driver);
        directReads.choose(drivers);
    }

    /** An attempt begins. Only the leader calls it. */
    public void add(Attempt attempt) {
        attempts.add(attempt);
    }

    /** An attempt is over; does nothing if it never began. Only the leader calls it. */
    public void remove(Attempt attempt) {
        attempts.remove(attempt);
    }

    @Override
    public void addReady(Driver driver) {
        ready.add(driver);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        multiplexer.wakeUp();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Timer timer = new Timer(task);
        timer.deadline(now() + delayNanos);
        if (isLeader()) {
            timers.add(timer);
        } else {
            execute(() -> timers.add(timer));
        }
        return timer;
    }

    /** Schedules a timer that exists and does not wait: so that none is missing when memory runs out. Only the leader calls it. */
    public void schedule(long delayNanos, Timer timer) {
        timer.deadline(now() + delayNanos);
        timers.add(timer);
    }

    /** How many timers wait, cancelled ones included. Only the leader calls it. */
    int timers() {
        return timers.size();
    }

    /** As in {@link Loop}; when no other thread leads, or after close, the calling thread runs the task. */
    @Override
    public void call(Runnable task) {
        if (isLeader()) {
            tasks.guard(task);
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
            // The progress thread may be watching, or may have ended: then this thread runs the tasks.
            if (leadership.tryLeadForAll()) {
                try {
                    tasks.run();
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
        Waits.join(thread);
    }
}

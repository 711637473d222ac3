package org.panamaverbs;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.support.Waits;

/**
 * Shares a completion queue between threads that each wait for an outcome of their own. One thread at a time leads: it takes completions,
 * and passes each to one handler, for all threads. So an outcome that the leader waits for wakes no other thread.
 *
 * {@snippet :
 * CompletionDispatcher dispatcher = new CompletionDispatcher(queue, 16, this::onCompletion, () -> {
 * });
 * // On any thread:
 * Request request = post();
 * if (!dispatcher.await(request::isDone, Duration.ofSeconds(5))) {
 *     throw new IllegalStateException("no answer");
 * }
 * }
 *
 * <p>The first thread in {@link #await} leads; those that come later park. When the outcome of the leader is there, another waiting thread
 * leads. A thread in {@link #serve} leads while no thread waits, for outcomes that no thread waits for: 4 ms after the last waiting thread
 * has left, or at once after {@link #expect} or {@link #wakeup}. It gives the lead to a waiting thread.
 *
 * <p>A virtual thread leads only if no thread serves. Otherwise all threads would wait for its carrier, which other virtual threads of the
 * program can keep.
 *
 * <p>No other thread takes completions from the queue, which the program closes. Waiting allocates nothing, except one object for each turn
 * in the last second before a time-out.
 */
// Tested by DispatcherContract, CompletionDispatcherTest, DispatcherInterleavingsTest.
public final class CompletionDispatcher {
    private static final long TURN_NANOS = 1_000_000_000;
    private static final Duration TURN = Duration.ofNanos(TURN_NANOS);
    /** After so long without a leader the serving thread leads. A program that waits again soon need not take the lead from it. */
    private static final long IDLE_NANOS = 4_000_000;

    /** A thread in {@link #await}, or a free place for one. */
    private final class Waiter {
        /** Its place among the waiters. */
        private int index;
        private @Nullable Thread thread;
        private @Nullable BooleanSupplier condition;
        /** The thread sleeps until another one sets it, and clears it before it checks its condition. */
        private volatile boolean notified;

        /** Whether the thread has to run: a condition that throws does so again on the thread that waits for it. */
        boolean isDone() {
            try {
                return Objects.requireNonNull(condition).getAsBoolean();
            } catch (RuntimeException e) {
                return true;
            }
        }

        boolean mayLead() {
            return CompletionDispatcher.this.mayLead(Objects.requireNonNull(thread));
        }

        void wake() {
            if (!notified) {
                notified = true;
                LockSupport.unpark(thread);
            }
        }

        void sleep(long nanos) {
            long begin = System.nanoTime();
            while (!notified && System.nanoTime() - begin < nanos) {
                park(nanos);
            }
            notified = false;
        }
    }

    private final CompletionQueue queue;
    private final Completions cursor;
    private final Consumer<Completions> handler;
    private final Runnable afterTurn;
    private final long idleNanos;

    /** Guards the waiters and the changes of the leader. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Those in use come first; the others are used again. */
    private Waiter[] waiters = {};
    /** How many are in use; written under the lock. */
    private volatile int waiting;
    /** {@code null} if no thread leads. A thread that gives the lead to another one unparks it. */
    private volatile @Nullable Thread leader;
    /** The thread in {@link #serve}, or {@code null}. */
    private volatile @Nullable Thread server;
    /** The serving thread must lead as soon as no thread does. Set without the lock, and cleared when that thread takes the lead. */
    private volatile boolean required;
    /** The serving thread sleeps until the leader, which waits for completions itself, leaves: it watches no clock. */
    private volatile boolean asleep;
    /** How many turns have ended; the leader writes it. */
    private volatile long turns;

    /**
     * Makes one. No thread leads yet.
     *
     * @param queue     the queue to take completions from
     * @param batch     the most completions that a leader takes at a time, 1 or more
     * @param handler   called by the leader for each completion, with the cursor on it. It must not wait, because all threads wait for it.
     *                  What it throws ends the leader's wait; the next leader goes on with the next completion
     * @param afterTurn called by the leader after the completions of each turn, also if there were none, the queue was closed, or the
     *                  handler has thrown: the place for tasks of other threads, and for work that is done once for many completions
     */
    public CompletionDispatcher(CompletionQueue queue, int batch, Consumer<Completions> handler, Runnable afterTurn) {
        this(queue, batch, handler, afterTurn, IDLE_NANOS);
    }

    /** As the other; a test can do without the timer, on which no thread may rely. */
    CompletionDispatcher(CompletionQueue queue, int batch, Consumer<Completions> handler, Runnable afterTurn, long idleNanos) {
        this.queue = queue;
        this.cursor = Completions.allocate(batch);
        this.handler = handler;
        this.afterTurn = afterTurn;
        this.idleNanos = idleNanos;
    }

    /**
     * Whether the calling thread leads: it runs the handler or {@code afterTurn}.
     *
     * @return {@code false} for all threads but one
     */
    public boolean isLeader() {
        return leader == Thread.currentThread();
    }

    /**
     * Waits until a condition holds, and leads if no other thread does, or the serving one. An exception concerns the calling thread alone; the other
     * threads wait on, and meet a closed queue or a failed device themselves.
     *
     * @param condition begins to hold by the handler, or else before a {@link #wakeup}. Other threads ask, too, often and under a lock:
     *                  it reads volatile fields or the like, and calls nothing that waits
     * @param timeout   how long at most; with 0 a thread that leads takes the completions that are there
     * @return {@code false} if the time was up
     * @throws IllegalStateException    if the calling thread leads already
     * @throws ResourceException        if the queue overran
     * @throws SystemException          if the device has failed, also while waiting
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the queue is closed, also while waiting
     */
    public boolean await(BooleanSupplier condition, Duration timeout) {
        long limit = Waits.nanos(timeout);
        if (isLeader()) {
            throw new IllegalStateException("the handler of a completion must not wait for completions: it would wait for itself");
        }
        if (condition.getAsBoolean()) {
            return true;
        }
        long start = System.nanoTime();
        Waiter self = enter(condition);
        try {
            Thread leading = leader;
            if (!mayLead()) {
                if (leading == null) {
                    require();
                }
            } else if (leading != null && leading == server) {
                // The serving thread gives up the lead once it is woken.
                queue.wakeup();
            }
            long left = limit;
            while (!condition.getAsBoolean()) {
                if (leads()) {
                    turn(left, 1);
                } else {
                    self.sleep(left);
                }
                left = limit == Long.MAX_VALUE ? limit : Math.max(0, limit - (System.nanoTime() - start));
                if (left == 0) {
                    return condition.getAsBoolean();
                }
            }
            return true;
        } finally {
            leave(self);
        }
    }

    /**
     * Leads while no thread waits, until a condition holds; for a thread of the program's own, one at a time.
     *
     * @param until followed by {@link #wakeup} when it begins to hold
     * @throws IllegalStateException    if another thread serves
     * @throws ResourceException        if the queue overran
     * @throws SystemException          if the device has failed
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the queue is closed
     */
    public void serve(BooleanSupplier until) {
        Thread self = Thread.currentThread();
        lock.lock();
        try {
            if (server != null) {
                throw new IllegalStateException(server + " serves this dispatcher already");
            }
            server = self;
        } finally {
            lock.unlock();
        }
        Thread leading = leader;
        if (leading != null && leading.isVirtual()) {
            // It gives up the lead once it is woken.
            queue.wakeup();
        }
        try {
            while (!until.getAsBoolean()) {
                if (isLeader()) {
                    turn(TURN_NANOS, 0);
                    makeWay();
                } else {
                    watch();
                }
            }
        } finally {
            lock.lock();
            try {
                server = null;
                if (isLeader() || leader == null) {
                    pass();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Completions will come for which no thread waits: the thread in {@link #serve} leads from now on, unless another thread leads. Call it
     * again after an {@link #await}, which may have taken the lead from that thread, if there are still completions to come.
     */
    public void expect() {
        if (leader == null) {
            require();
        }
    }

    /**
     * Has a leader make a turn and all threads check their conditions: something has changed without a completion. The thread in
     * {@link #serve} leads once no other thread does.
     */
    public void wakeup() {
        require();
        queue.wakeup();
    }

    private void require() {
        required = true;
        // Either this sees that no thread leads, or the thread that gives up the lead sees the field.
        if (leader == null) {
            LockSupport.unpark(server);
        }
    }

    /**
     * One round of the leader: takes completions, waits for the first if there is none, and wakes the threads whose conditions hold.
     *
     * @param own how many of the waiters the leader is
     */
    private void turn(long nanos, int own) {
        try {
            // A handler that has thrown may have left some.
            if (cursor.remaining() == 0) {
                if (nanos == 0) {
                    queue.poll(cursor);
                } else {
                    queue.await(cursor, nanos >= TURN_NANOS ? TURN : Duration.ofNanos(nanos));
                }
            }
            while (cursor.next()) {
                handler.accept(cursor);
            }
        } finally {
            try {
                afterTurn.run();
            } finally {
                // Either this sees a thread that begins to wait, or that thread sees the change that it waits for.
                turns = turns + 1;
                if (waiting > own) {
                    wakeFinished();
                }
            }
        }
    }

    /** Wakes the threads whose outcome is there. */
    private void wakeFinished() {
        lock.lock();
        try {
            for (int i = 0; i < waiting; i++) {
                if (waiters[i].thread != leader && waiters[i].isDone()) {
                    waiters[i].wake();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            // Without a timer, which a virtual thread would allocate.
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Waits.interrupted(new InterruptedException());
        }
    }

    /** The calling thread begins to wait, and leads if no other thread does. */
    private Waiter enter(BooleanSupplier condition) {
        lock.lock();
        try {
            if (waiting == waiters.length) {
                waiters = Arrays.copyOf(waiters, waiting + Math.max(4, waiting));
                for (int i = waiting; i < waiters.length; i++) {
                    waiters[i] = new Waiter();
                    waiters[i].index = i;
                }
            }
            Waiter self = waiters[waiting];
            waiting = waiting + 1;
            self.thread = Thread.currentThread();
            self.condition = condition;
            self.notified = false;
            if (leader == null && mayLead()) {
                leader = self.thread;
            }
            return self;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread can lead. */
    private boolean mayLead() {
        return mayLead(Thread.currentThread());
    }

    private boolean mayLead(Thread thread) {
        return !thread.isVirtual() || server == null;
    }

    /**
     * Whether the calling thread, which waits, leads. If no thread does, because its condition held for a moment, it begins to. A virtual
     * thread gives up the lead if another thread serves now.
     */
    private boolean leads() {
        if (leader != null && (!isLeader() || mayLead())) {
            return isLeader();
        }
        lock.lock();
        try {
            if (isLeader() && !mayLead()) {
                pass();
            } else if (leader == null && mayLead()) {
                leader = Thread.currentThread();
            }
            return isLeader();
        } finally {
            lock.unlock();
        }
    }

    private void leave(Waiter self) {
        lock.lock();
        try {
            self.thread = null;
            self.condition = null;
            waiting = waiting - 1;
            Waiter moved = waiters[waiting];
            place(moved, self.index);
            place(self, waiting);
            if (isLeader()) {
                pass();
            }
        } finally {
            lock.unlock();
        }
    }

    private void place(Waiter waiter, int index) {
        waiters[index] = waiter;
        waiter.index = index;
    }

    /** The leader gives up the lead, to a thread that still has to wait if there is one. */
    private void pass() {
        leader = null;
        boolean isVirtualWaiting = passToWaiter();
        if (leader == null && (isVirtualWaiting || required || asleep)) {
            required |= isVirtualWaiting;
            asleep = false;
            LockSupport.unpark(server);
        }
    }

    /** Gives the lead to the first thread that still waits and can lead. Returns whether another one waits before it. */
    private boolean passToWaiter() {
        boolean isOtherWaiting = false;
        for (int i = 0; i < waiting; i++) {
            Waiter next = waiters[i];
            if (next.isDone()) {
                next.wake();
            } else if (next.mayLead()) {
                leader = next.thread;
                next.wake();
                break;
            } else {
                isOtherWaiting = true;
            }
        }
        return isOtherWaiting;
    }

    /** Whether a thread waits that will lead. */
    private boolean isLeaderWaiting() {
        for (int i = 0; i < waiting; i++) {
            if (waiters[i].mayLead()) {
                return true;
            }
        }
        return false;
    }

    /** The serving thread, which leads, gives the lead to a waiting one. A thread that begins to wait later wakes it again. */
    private void makeWay() {
        if (waiting == 0) {
            return;
        }
        lock.lock();
        try {
            passToWaiter();
        } finally {
            lock.unlock();
        }
    }

    /** The serving thread sleeps, and takes the lead if it has to. */
    private void watch() {
        long seen = turns;
        long begin = System.nanoTime();
        while ((!required || leader != null) && System.nanoTime() - begin < idleNanos) {
            park(idleNanos);
        }
        if (leader != null && turns == seen) {
            asleep = true;
            // Either this sees that the leader has gone, or that thread sees that this one sleeps.
            while (asleep && leader != null) {
                park(Long.MAX_VALUE);
            }
            asleep = false;
            return;
        }
        lock.lock();
        try {
            if (leader == null && (required || turns == seen) && !isLeaderWaiting()) {
                required = false;
                leader = Thread.currentThread();
            }
        } finally {
            lock.unlock();
        }
    }
}

package org.panamaverbs.rpcrdma.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.WaitInterruptedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One completion queue, and the thread that takes completions from it. Links share a reactor as long as the queue has room for all that
 * they can post.
 *
 * <p>A thread that waits for an answer may take completions in the place of the reactor's thread ({@link #lead}), as long as no other
 * thread waits: then an answer wakes one thread and no other. The reactor's thread meanwhile checks every millisecond whether another
 * thread still leads, and takes the lead back if none does.
 */
// Tested by RoundTripTest, VerbsLinkTest.
public final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
    private static final int BATCH = 32;
    private static final Duration TURN = Duration.ofSeconds(1);

    /** How often a thread tries to lead after it has asked the reactor's thread to step back: for about 50 us. */
    private static final int ATTEMPTS = 1000;
    private static final long WATCH_NANOS = 1_000_000;
    /** After so many checks that found no leader the reactor's thread leads for good. */
    private static final int WATCH_CHECKS = 8;

    private final Device device;
    private final CompletionQueue queue;
    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final Completions completions;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final int capacity;

    private final Lead lead = new Lead(new Threads(), ATTEMPTS);
    /** Counts turns of other threads than the reactor's; changed by the leader alone. */
    private volatile long turns;
    /** Links on which the leader has posted something in this turn; the leader alone uses it. */
    private final List<VerbsLink> posted = new ArrayList<>();
    private RuntimeException broken;
    private int used;
    private volatile boolean closed;

    /**
     * Makes one and starts its thread.
     *
     * @param entries how many completions its queue holds
     */
    public Reactor(Device device, int entries, String name) {
        this.device = device;
        capacity = Math.min(entries, device.attributes().maximumCompletionQueueEntries());
        queue = device.createCompletionQueue(capacity);
        completions = Completions.allocate(BATCH);
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    Device device() {
        return device;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** Takes room in the queue; {@code false} if there is not so much. */
    synchronized boolean reserve(int entries) {
        if (closed || used + entries > capacity) {
            return false;
        }
        used += entries;
        return true;
    }

    synchronized void giveBack(int entries) {
        used -= entries;
    }

    /** Runs a task on the thread that leads, soon. */
    void execute(Runnable task) {
        tasks.add(task);
        if (!lead.isHeldByThisThread()) {
            try {
                queue.wakeup();
                lead.rely();
            } catch (ClosedException e) {
                // The thread runs what is left at its end.
                drain();
            }
        }
    }

    private void run() {
        try {
            while (!closed) {
                lead.takeBack();
                try {
                    while (!closed && !lead.isToStepBack()) {
                        turn(TURN);
                    }
                } finally {
                    lead.giveUp();
                }
                watch();
            }
        } catch (ClosedException e) {
            LOG.debug("the completion queue was closed");
        } catch (RuntimeException e) {
            LOG.error("the thread {} ends, and with it its connections", thread.getName(), e);
        } finally {
            closed = true;
            queue.close();
            lead.takeBack();
            try {
                drain();
                flush();
            } finally {
                lead.giveUp();
            }
        }
    }

    /** Watches the threads that lead, until none does, or one hands back. */
    private void watch() {
        int checks = 0;
        while (!closed && !lead.isHandedBack() && checks < WATCH_CHECKS) {
            long before = turns;
            LockSupport.parkNanos(this, WATCH_NANOS);
            if (turns != before) {
                checks = 0;
            } else if (!lead.isHandedBack()) {
                try {
                    if (lead.peek()) {
                        checks++;
                        turn(Duration.ZERO);
                    }
                } finally {
                    lead.endPeek();
                }
            }
        }
    }

    /** One round of the leader. A failure is kept: without its queue the reactor is of no use. */
    private void turn(Duration timeout) {
        if (broken != null) {
            throw broken;
        }
        try {
            queue.await(completions, tasks.isEmpty() ? timeout : Duration.ZERO);
            while (completions.next()) {
                if (completions.attachment() instanceof VerbsLink link) {
                    onCompletion(link);
                }
            }
            drain();
            flush();
        } catch (WaitInterruptedException e) {
            throw e;
        } catch (RuntimeException e) {
            broken = e;
            throw e;
        }
    }

    /**
     * Whether the calling thread leads: then what it posts on a link leaves at the end of its turn, so that the answers to all messages of
     * the turn leave together.
     */
    boolean flushes(VerbsLink link) {
        if (!lead.isHeldByThisThread()) {
            return false;
        }
        if (!posted.contains(link)) {
            posted.add(link);
        }
        return true;
    }

    private void flush() {
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).flush();
        }
        posted.clear();
    }

    /** What one link cannot take ends that link, and no other. */
    private void onCompletion(VerbsLink link) {
        try {
            link.onCompletion(completions);
        } catch (RuntimeException e) {
            LOG.warn("a completion could not be taken", e);
            link.fail("a completion could not be taken: " + e);
        }
    }

    /**
     * The calling thread takes completions until a condition holds, unless another thread waits already. Then it returns at once, and the
     * reactor's thread makes the condition hold. In any case {@link #leave} follows.
     *
     * @param here  the condition
     * @param nanos the longest time
     */
    void lead(BooleanSupplier here, long nanos) {
        boolean mayLead = lead.enter() && !Thread.currentThread().isVirtual() && !lead.isHeldByThisThread();
        if (!mayLead) {
            lead.rely();
            return;
        }
        if (!lead.tryLead()) {
            return;
        }
        try {
            long start = System.nanoTime();
            while (!closed && !here.getAsBoolean() && lead.hasOneCaller()) {
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0) {
                    return;
                }
                turn(left < TURN.toNanos() ? Duration.ofNanos(left) : TURN);
                turns++;
            }
        } catch (WaitInterruptedException e) {
            LOG.debug("a caller was interrupted");
        } catch (RuntimeException e) {
            // The reactor's thread finds the same, and ends.
            LOG.debug("a caller could not take completions: {}", e.getMessage());
        } finally {
            lead.cede(() -> broken != null || !here.getAsBoolean() || !tasks.isEmpty());
        }
    }

    /**
     * The calling thread waits no longer.
     *
     * @param more whether it leaves answers behind that others wait for
     */
    void leave(boolean more) {
        lead.leave(more);
    }

    /** Answers will come for which no thread waits. */
    void expect() {
        lead.rely();
    }

    private void drain() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.warn("a task failed", e);
            }
        }
    }

    /** Ends the thread; its links are closed before. */
    @Override
    public void close() {
        closed = true;
        lead.handBack();
        try {
            queue.wakeup();
        } catch (ClosedException e) {
            LOG.debug("closed already");
        }
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
        queue.close();
        arena.close();
    }

    private final class Threads implements Lead.Waker {
        @Override
        public void wakeLeader() {
            queue.wakeup();
        }

        @Override
        public void wakeReactor() {
            LockSupport.unpark(thread);
        }
    }
}

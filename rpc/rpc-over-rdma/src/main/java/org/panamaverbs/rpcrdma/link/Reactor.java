package org.panamaverbs.rpcrdma.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionDispatcher;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.spi.Complaints;
import org.panamaverbs.spi.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One completion queue, its dispatcher, and the thread that serves the dispatcher. Links share a reactor as long as the queue has room for
 * all that they can post. A thread that waits for an answer may lead ({@link #await}); otherwise the reactor's thread does.
 */
// Tested by RoundTripTest, VerbsLinkTest.
public final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
    private static final int BATCH = 32;
    /** The pause after a turn that failed. */
    private static final long REST_NANOS = 1_000_000;

    private final Device device;
    private final CompletionQueue queue;
    private final CompletionDispatcher dispatcher;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Complaints complaints = new Complaints(Reactor.class);
    private final Complaints.Message ends = complaints.message("the thread {} ends its connections");
    private final Complaints.Message turnFailed = complaints.message("a turn of the thread {} failed");
    private final Complaints.Message completionFailed = complaints.message("a completion of the thread {} could not be taken");
    private final Complaints.Message taskFailed = complaints.message("a task of the thread {} failed");
    private final Thread thread;
    private final int capacity;

    /** Links on which the leader has posted something in this turn; the leader alone uses it. */
    private final List<VerbsLink> posted = new ArrayList<>();
    private int used;
    /** The queue takes no more. */
    private volatile boolean ended;
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
        dispatcher = new CompletionDispatcher(queue, BATCH, this::onCompletion, this::onTurn);
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
        if (ended || closed || used + entries > capacity) {
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
        if (!dispatcher.isLeader()) {
            dispatcher.wakeup();
        }
    }

    private void run() {
        while (!closed) {
            try {
                dispatcher.serve(() -> closed);
            } catch (RuntimeException e) {
                end(e);
            } catch (Error e) {
                // For want of memory, or of a descriptor to load a class: the next turn may have it.
                turnFailed.error(thread.getName(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
        queue.close();
        try {
            // No other thread leads when this one does. A turn on the closed queue runs the last tasks, and then throws.
            dispatcher.await(() -> false, Verbs.FOREVER);
        } catch (ClosedException e) {
            LOG.debug("the thread {} ends", thread.getName());
        }
    }

    /** The queue takes no more: its connections end. Turns on the closed queue still run tasks. */
    private void end(RuntimeException reason) {
        // A program has no reason to interrupt this thread, whose waits would all fail.
        Thread.interrupted();
        if (!ended) {
            ended = true;
            ends.error(thread.getName(), reason);
            queue.close();
        }
    }

    private void onCompletion(Completions completion) {
        if (completion.attachment() instanceof VerbsLink link) {
            try {
                link.onCompletion(completion);
            } catch (RuntimeException | Error e) {
                // What one link cannot take ends that link, and no other.
                completionFailed.error(thread.getName(), e);
                link.fail("a completion could not be taken: " + e);
            }
        }
    }

    private void onTurn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                taskFailed.error(thread.getName(), e);
            }
        }
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).flush();
        }
        posted.clear();
    }

    /**
     * Whether the calling thread leads: then what it posts on a link leaves at the end of its turn, so that the answers to all messages of
     * the turn leave together.
     */
    boolean flushes(VerbsLink link) {
        if (!dispatcher.isLeader()) {
            return false;
        }
        if (!posted.contains(link)) {
            posted.add(link);
        }
        return true;
    }

    /**
     * Waits until a condition holds, and takes completions meanwhile.
     *
     * @param nanos the longest time; this returns earlier if the thread was interrupted, the queue takes no more, or the thread leads
     *              already, and is in a continuation
     */
    void await(BooleanSupplier condition, long nanos) {
        if (dispatcher.isLeader()) {
            return;
        }
        try {
            dispatcher.await(condition, Duration.ofNanos(nanos));
        } catch (VerbsException e) {
            // The reactor's thread finds the same, and ends all connections.
            LOG.debug("a caller waits no more: {}", e.getMessage());
        }
    }

    /** Answers will come for which no thread waits. */
    void expect() {
        dispatcher.expect();
    }

    /** Ends the thread; its links are closed before. */
    @Override
    public void close() {
        closed = true;
        dispatcher.wakeup();
        Waits.join(thread);
        queue.close();
    }
}

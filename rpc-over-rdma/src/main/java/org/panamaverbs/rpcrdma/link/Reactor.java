package org.panamaverbs.rpcrdma.link;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.RegistrableArena;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One completion queue, and the thread that takes completions from it. Links share a reactor as long as the queue has room for all that
 * they can post.
 */
public final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
    private static final int BATCH = 32;
    private static final Duration TURN = Duration.ofSeconds(1);

    private final Device device;
    private final CompletionQueue queue;
    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final Completions completions;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final int capacity;
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
        completions = Completions.allocate(arena, BATCH);
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

    /** Runs a task on the thread, soon. */
    void execute(Runnable task) {
        tasks.add(task);
        if (Thread.currentThread() != thread) {
            try {
                queue.wakeup();
            } catch (ClosedException e) {
                // The thread runs what is left at its end.
                drain();
            }
        }
    }

    private void run() {
        try {
            while (!closed) {
                queue.await(completions, tasks.isEmpty() ? TURN : Duration.ZERO);
                while (completions.next()) {
                    if (completions.attachment() instanceof VerbsLink link) {
                        complete(link);
                    }
                }
                drain();
            }
        } catch (ClosedException e) {
            LOG.debug("the completion queue was closed");
        } catch (RuntimeException e) {
            LOG.error("the thread {} ends, and with it its connections", thread.getName(), e);
        } finally {
            closed = true;
            queue.close();
            drain();
        }
    }

    /** Whatever goes wrong with one link ends that link alone. */
    private void complete(VerbsLink link) {
        try {
            link.onCompletion(completions);
        } catch (RuntimeException e) {
            LOG.error("a completion could not be taken", e);
            link.fail("a completion could not be taken: " + e);
        }
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
}

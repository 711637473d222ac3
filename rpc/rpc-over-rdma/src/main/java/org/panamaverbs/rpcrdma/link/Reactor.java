package org.panamaverbs.rpcrdma.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionDispatcher;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One completion queue, its dispatcher, and the thread that serves the dispatcher. Several links share a reactor. A thread that waits for an
 * answer may lead ({@link #await}); otherwise the reactor's thread does.
 *
 * <p>What the leader does for a link may throw anything: {@link #attempt} is the one wall.
 */
// Tested by RoundTripTest, VerbsLinkTest.
public final class Reactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
    private static final int BATCH = 32;
    private static final int LINKS = 8;
    /** The pause after a turn that failed. */
    private static final long REST_NANOS = 1_000_000;
    private static final BiConsumer<Served, Completions> COMPLETION = Served::onCompletion;
    private static final BiConsumer<Served, Completions> TURN = (link, none) -> link.onTurn();
    private static final BiConsumer<Served, Completions> FLUSH = (link, none) -> link.flush();

    private final Device device;
    private final CompletionQueue queue;
    private final CompletionDispatcher dispatcher;
    private final BiConsumer<Served, Completions> serving;
    /** The links that asked for a turn, the last one first. Asking allocates nothing, so a link can always end. */
    private final AtomicReference<Served> scheduled = new AtomicReference<>();
    private final Complaints complaints = new Complaints(Reactor.class);
    private final Complaints.Message ends = complaints.message("the thread {} ends its connections");
    private final Complaints.Message turnFailed = complaints.message("a turn of the thread {} failed");
    private final Thread thread;
    /** The most links. */
    private final int places;
    private final AtomicInteger links = new AtomicInteger();

    /** Links on which the leader has posted something in this turn; the leader alone uses it. */
    private final List<Served> posted = new ArrayList<>();
    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Makes one and starts its thread.
     *
     * @param entries how many completions of each link can be outstanding
     */
    public Reactor(Device device, int entries, String name) {
        this.device = device;
        int most = device.attributes().maximumCompletionQueueEntries();
        places = Math.min(LINKS, most / entries);
        queue = device.createCompletionQueue(CompletionQueueAttributes.of(Math.min(LINKS * entries, most)).withAdmission());
        dispatcher = new CompletionDispatcher(queue, BATCH, this::onCompletion, this::onTurn);
        BooleanSupplier until = () -> closed;
        serving = (noLink, none) -> dispatcher.serve(until);
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    Device device() {
        return device;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** Takes a place for a link; {@code false} if there is none, or the queue takes no more. */
    boolean enter() {
        return !failed.get() && !closed && links.getAndUpdate(count -> Math.min(count + 1, places)) < places;
    }

    /** Gives back the place of a link whose queue pair is closed, or was never created. */
    void leave() {
        links.decrementAndGet();
    }

    /** Has the leader call {@link Served#onTurn} soon. Until then the link is not scheduled again. */
    void schedule(Served link) {
        if (!link.scheduled.compareAndSet(false, true)) {
            return;
        }
        do {
            link.nextScheduled = scheduled.get();
        } while (!scheduled.compareAndSet(link.nextScheduled, link));
        if (!dispatcher.isLeader()) {
            dispatcher.wakeup();
        }
    }

    /**
     * The wall of the threads that lead: what is thrown for one link ends that link, and no other.
     *
     * @param link {@code null} for what concerns all
     */
    private void attempt(BiConsumer<Served, Completions> action, Served link, Completions completion) {
        try {
            action.accept(link, completion);
        } catch (RuntimeException | Error e) {
            if (link != null) {
                link.fail(e);
            } else if (e instanceof RuntimeException) {
                end(e);
            } else {
                // For want of memory, or of a descriptor to load a class: the next turn may have it.
                turnFailed.error(thread.getName(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private void run() {
        while (!closed) {
            attempt(serving, null, null);
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
    private void end(Throwable reason) {
        // A program has no reason to interrupt this thread, whose waits would all fail.
        Thread.interrupted();
        if (failed.compareAndSet(false, true)) {
            ends.error(thread.getName(), reason);
            queue.close();
        }
    }

    private void onCompletion(Completions completion) {
        if (completion.attachment() instanceof Served link) {
            attempt(COMPLETION, link, completion);
        }
    }

    private void onTurn() {
        for (Served link = scheduled.getAndSet(null); link != null; link = scheduled.getAndSet(null)) {
            for (Served each = link; each != null;) {
                Served next = each.nextScheduled;
                each.scheduled.set(false);
                attempt(TURN, each, null);
                each = next;
            }
        }
        for (int i = 0; i < posted.size(); i++) {
            attempt(FLUSH, posted.get(i), null);
        }
        posted.clear();
    }

    /**
     * Whether the calling thread leads: then what it posts on a link leaves at the end of its turn, so that the answers to all messages of
     * the turn leave together.
     */
    boolean flushes(Served link) {
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

package org.panamaverbs.rdmacore.lifecycle;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/** How far the end of a queue pair's connection has come, the threads that wait for it, and why it ended. */
// Tested by FlushWithoutEventFaultsTest, SharedEndFaultsTest.
public final class QueuePairEnd {
    /** How long the peer may take to answer a disconnect. */
    private static final long PEER_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** How long the device may take to report what it flushes. */
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    /** How long the event that says why may take behind the first flush. */
    private static final long REASON_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long a failure of a request may take that only failures are reported of. */
    private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** None goes back to one before it. */
    private enum Phase {
        NOT_BEGUN,
        /** The device has flushed a request of ours, and nothing says why yet. */
        FLUSHED, BEGUN,
        /** The connection is over for both: the device flushes. */
        OVER
    }

    /** @param since a time of {@link System#nanoTime} */
    private record Step(Phase phase, long since, boolean isOurs) {
        boolean isBefore(Phase other) {
            return phase.compareTo(other) < 0;
        }

        boolean lasts(long nanos) {
            return System.nanoTime() - since > nanos;
        }
    }

    private record Failure(VerbsException reason, ConnectionEnd.Cause cause) {
    }

    private final AtomicReference<Step> step = new AtomicReference<>(new Step(Phase.NOT_BEGUN, 0, false));
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<Failure> failure = new AtomicReference<>();
    private final CompletableFuture<ConnectionEnd> stage = new CompletableFuture<>();
    private final Workers.Task completion = new Workers.Task(this::complete);
    private volatile boolean watched;
    /** How often the event reader has asked for the reason in vain after that took too long. By the event reader. */
    private int late;

    private boolean advance(Phase next, boolean byUs) {
        Step reached = step.get();
        while (reached.isBefore(next)) {
            if (step.compareAndSet(reached, new Step(next, System.nanoTime(), reached.isOurs || byUs))) {
                return true;
            }
            reached = step.get();
        }
        return false;
    }

    /** The device has flushed a request of ours; {@code true} the first time, if the end has not begun. */
    public boolean seeFlush() {
        return advance(Phase.FLUSHED, false);
    }

    /** Whether the device flushed a request of ours, and the end has not begun. */
    public boolean isFlushed() {
        return step.get().phase == Phase.FLUSHED;
    }

    /**
     * Whether the event may still come that says why requests were flushed. rxe (Linux 7.2) sends none where it refuses a request itself. The
     * event reader looks for events between two calls, so an event that has waited for it counts.
     */
    public boolean awaitsReason() {
        return isFlushed() && failure.get() == null && (!step.get().lasts(REASON_NANOS) || late++ == 0);
    }

    /** The end begins; {@code true} the first time. */
    public boolean begin(boolean byUs) {
        return advance(Phase.BEGUN, byUs);
    }

    /** Whether the program asked for it. */
    public boolean isOurs() {
        return step.get().isOurs;
    }

    public boolean hasBegun() {
        return !step.get().isBefore(Phase.BEGUN);
    }

    /** The connection is over for both: from now on the device flushes. */
    public void see() {
        advance(Phase.OVER, false);
    }

    public boolean isSeen() {
        return step.get().phase == Phase.OVER;
    }

    /** Whether the peer took too long to answer. One that was never connected has no peer to wait for. */
    public boolean isOverdue() {
        Step reached = step.get();
        return reached.isBefore(Phase.BEGUN) || reached.phase == Phase.BEGUN && reached.lasts(PEER_NANOS);
    }

    /** Whether the device will report nothing more. */
    public boolean isSilent(boolean awaitsReport, boolean isEmpty) {
        Step reached = step.get();
        return isEmpty || !awaitsReport && reached.lasts(SILENT_NANOS) || reached.lasts(REPORT_NANOS);
    }

    public void finish() {
        ended.countDown();
        if (watched) {
            // Not by this thread: a dependent that blocks would stop the event reader.
            completion.submit();
        }
    }

    public boolean isFinished() {
        return ended.getCount() == 0;
    }

    public boolean await(Duration timeout) {
        try {
            return ended.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    /** Something went wrong; the first thing counts. */
    public void fail(VerbsException reason) {
        fail(reason, reason instanceof PeerException ? ConnectionEnd.Cause.REMOTE_ERROR : ConnectionEnd.Cause.LOCAL_ERROR);
    }

    /** The same, with its cause: a failed request can say that the peer does not answer. */
    public void fail(VerbsException reason, ConnectionEnd.Cause cause) {
        failure.compareAndSet(null, new Failure(reason, cause));
    }

    /** How the connection ended; empty before. Drivers report no Terminate. */
    public Optional<ConnectionEnd> end() {
        return isFinished() ? Optional.of(describe()) : Optional.empty();
    }

    /** Why it ended, or is about to. */
    public ConnectionEnd describe() {
        Failure first = failure.get();
        return first == null ? ConnectionEnd.orderly() : new ConnectionEnd(first.cause, OptionalInt.empty(), Optional.of(first.reason));
    }

    /** Completes with {@link #end()}, by a thread that may block. */
    public CompletionStage<ConnectionEnd> whenEnded() {
        watched = true;
        // Either this sees the end, or the thread that finishes it sees that it is watched.
        if (isFinished()) {
            complete();
        }
        return stage.minimalCompletionStage();
    }

    private void complete() {
        stage.complete(describe());
    }
}

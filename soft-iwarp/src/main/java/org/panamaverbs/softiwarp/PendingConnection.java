package org.panamaverbs.softiwarp;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.softiwarp.cm.Established;
import org.panamaverbs.spi.Waits;

/** A connection that a thread waits for while the event loop makes it. */
final class PendingConnection {
    private final SoftQueuePair queuePair;
    private final String what;
    private final CompletableFuture<SoftConnection> result = new CompletableFuture<>();

    /** Makes one; {@code what} completes "cannot ...", for messages. */
    PendingConnection(SoftQueuePair queuePair, String what) {
        this.queuePair = queuePair;
        this.what = what;
    }

    /** The connection is made; by the loop's leader. */
    void onEstablished(Established established) {
        // If it comes too late for the thread that waited, that thread closes the queue pair: then or before.
        SoftConnection connection = SoftConnection.connect(queuePair, established);
        if (connection == null) {
            established.channel().close();
        } else {
            result.complete(connection);
        }
    }

    /** There will be none. */
    void onFailed(VerbsException reason) {
        result.completeExceptionally(reason);
    }

    /** The waiting thread is to stop. */
    void close() {
        result.completeExceptionally(new ClosedException("closed while it was to " + what));
    }

    /** Waits for the connection; {@code waitsFor} says at a time-out what did not come. */
    SoftConnection await(Duration timeout, Supplier<String> waitsFor) {
        try {
            return result.get(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            VerbsTimeoutException late = new VerbsTimeoutException(
                    "could not " + what + " within " + Waits.describe(timeout) + ": " + waitsFor.get(), e);
            if (result.completeExceptionally(late)) {
                throw late;
            }
            return result.join();
        } catch (ExecutionException e) {
            throw (VerbsException) e.getCause();
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }
}

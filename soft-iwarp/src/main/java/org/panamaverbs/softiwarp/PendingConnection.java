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

/** A connection that the event loop establishes while a thread waits for it. */
final class PendingConnection {
    private final SoftQueuePair queuePair;
    private final String what;
    private final CompletableFuture<SoftConnection> result = new CompletableFuture<>();

    /** Makes one; {@code what} continues the messages "could not" and "closed while trying to". */
    PendingConnection(SoftQueuePair queuePair, String what) {
        this.queuePair = queuePair;
        this.what = what;
    }

    /** The connection is established. Only the loop's leader calls it. */
    void onEstablished(Established established) {
        // If this is too late for the waiting thread, that thread closes the queue pair, before this or after.
        SoftConnection connection = SoftConnection.connect(queuePair, established);
        if (connection == null) {
            established.channel().close();
        } else {
            result.complete(connection);
        }
    }

    /** The connection could not be established. */
    void onFailed(VerbsException reason) {
        result.completeExceptionally(reason);
    }

    /** Makes the waiting thread stop. */
    void close() {
        result.completeExceptionally(new ClosedException("closed while trying to " + what));
    }

    /** Waits for the connection; {@code waitsFor} says after a timeout what did not happen. */
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

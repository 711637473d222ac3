package org.panamaverbs.softiwarp;

import java.time.Duration;
import java.util.function.Supplier;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.cm.Established;
import org.panamaverbs.softiwarp.lifecycle.Pending;

/** A connection that the event loop establishes while a thread waits for it. */
final class PendingConnection {
    private final SoftQueuePair queuePair;
    private final Pending<SoftConnection> result;

    /** Makes one; {@code what} continues the messages "could not" and "closed while trying to". */
    PendingConnection(SoftQueuePair queuePair, String what) {
        this.queuePair = queuePair;
        this.result = new Pending<>(what);
    }

    /** The connection is established. Only the loop's leader calls it. */
    void onEstablished(Established established) {
        // If this is too late for the waiting thread, that thread closes the queue pair, before this or after.
        SoftConnection connection = SoftConnection.connect(queuePair, established);
        if (connection == null) {
            established.refuse();
        } else {
            result.complete(connection);
        }
    }

    /** The connection could not be established. */
    void onFailed(VerbsException reason) {
        result.fail(reason);
    }

    /** Makes the waiting thread stop. */
    void close() {
        result.close();
    }

    /** Waits for the connection; {@code waitsFor} says after a timeout which event did not come. */
    SoftConnection await(Duration timeout, Supplier<String> waitsFor) {
        return result.await(timeout, waitsFor);
    }
}

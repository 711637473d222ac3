package org.panamaverbs.spi;

import org.jspecify.annotations.Nullable;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;

/** The receives of the classes that providers extend: they are checked before the provider sees them. */
abstract class AbstractReceives implements ReceiveQueue {
    /** The checks of all requests of this queue or queue pair. */
    final RequestChecks checks;
    /** The queue that the receives come from instead, or {@code null}. */
    private final @Nullable SharedReceiveQueue shared;

    AbstractReceives(RequestChecks checks, @Nullable SharedReceiveQueue shared) {
        this.checks = checks;
        this.shared = shared;
    }

    /**
     * Posts a receive that is checked. The provider keeps no reference to it.
     *
     * @param request the request; each region was valid, had {@link org.panamaverbs.Access#LOCAL_WRITE}, and contains its element
     * @return {@code false} if the queue is full; then the receives that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue has been closed meanwhile
     * @throws IllegalStateException if a region has been closed meanwhile
     */
    protected abstract boolean submitReceive(ReceiveWorkRequest request);

    @Override
    public final boolean tryPost(ReceiveRequest request) {
        if (shared != null) {
            throw new IllegalStateException(this + " takes its receives from a shared receive queue: post them to " + shared);
        }
        ReceiveWorkRequest work = Described.of(request);
        checks.receive(work);
        return submitReceive(work);
    }
}

package org.panamaverbs.rdmacore.queue;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.panamaverbs.ResourceException;

/**
 * The handlers of a device's completions, by the {@code wr_id} that a request carries to the device and back:
 *
 * <pre>
 * place 20 | generation 11 | send or receive 1 | sequence 32
 * </pre>
 *
 * A completion of a handler that is gone finds none, even if another handler has its place.
 */
public final class WrIdTable {
    /** The bit of send requests. */
    public static final long SEND = 1L << 32;
    private static final int PLACES = 1 << 20;
    private static final int GENERATIONS = 1 << 11;
    private static final long TAG = -(1L << 33);

    private volatile AtomicReferenceArray<WorkCompletionHandler> places = new AtomicReferenceArray<>(16);
    private int generation;

    /** Adds a handler; gives the tag of its requests. */
    public synchronized long add(WorkCompletionHandler handler) {
        AtomicReferenceArray<WorkCompletionHandler> handlers = places;
        int place = 0;
        while (place < handlers.length() && handlers.get(place) != null) {
            place++;
        }
        if (place == handlers.length()) {
            if (place == PLACES) {
                throw new ResourceException(
                        "there are " + PLACES + " queue pairs and shared receive queues, the most for a device: close some");
            }
            AtomicReferenceArray<WorkCompletionHandler> larger = new AtomicReferenceArray<>(2 * place);
            for (int i = 0; i < place; i++) {
                larger.set(i, handlers.get(i));
            }
            handlers = larger;
        }
        generation = (generation + 1) % GENERATIONS;
        handlers.set(place, handler);
        places = handlers;
        return (long) place << 44 | (long) generation << 33;
    }

    /** Without effect on one that was never added. */
    public synchronized void remove(WorkCompletionHandler handler) {
        places.compareAndSet((int) (handler.tag() >>> 44), handler, null);
    }

    /** The handler of a request, or {@code null} if it is gone. */
    public WorkCompletionHandler find(long request) {
        AtomicReferenceArray<WorkCompletionHandler> handlers = places;
        int place = (int) (request >>> 44);
        WorkCompletionHandler found = place < handlers.length() ? handlers.get(place) : null;
        return found != null && found.tag() == (request & TAG) ? found : null;
    }
}

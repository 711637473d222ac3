package org.panamaverbs.rdmacore.queue;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.panamaverbs.ResourceException;

/**
 * The handlers of a device's completions, by the {@code wr_id} that a request carries to the device and back:
 *
 * <pre>
 * place 20 | generation 11 | send or receive 1 | sequence, or slot of a shared receive queue 32
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

    private volatile AtomicReferenceArray<Entry> places = new AtomicReferenceArray<>(16);
    private int generation;

    /**
     * A tag, and its handler.
     *
     * @param handler {@code null} before the handler can take completions
     */
    private record Entry(long tag, WorkCompletionHandler handler) {
    }

    /** Takes a place; gives the tag that requests of it carry. Their handler is still to be {@linkplain #publish published}. */
    public synchronized long reserve() {
        AtomicReferenceArray<Entry> entries = places;
        int place = 0;
        while (place < entries.length() && entries.get(place) != null) {
            place++;
        }
        if (place == entries.length()) {
            if (place == PLACES) {
                throw new ResourceException(
                        "there are " + PLACES + " queue pairs and shared receive queues, the most for a device: close some");
            }
            AtomicReferenceArray<Entry> larger = new AtomicReferenceArray<>(2 * place);
            for (int i = 0; i < place; i++) {
                larger.set(i, entries.get(i));
            }
            entries = larger;
        }
        generation = (generation + 1) % GENERATIONS;
        long tag = (long) place << 44 | (long) generation << 33;
        entries.set(place, new Entry(tag, null));
        places = entries;
        return tag;
    }

    /** From now on the handler takes the completions of the requests with its tag. */
    public synchronized void publish(WorkCompletionHandler handler) {
        places.set((int) (handler.tag() >>> 44), new Entry(handler.tag(), handler));
    }

    /** The place of a tag is free. Without effect on a tag that is gone already. */
    public synchronized void remove(long tag) {
        Entry entry = places.get((int) (tag >>> 44));
        if (entry != null && entry.tag == tag) {
            places.set((int) (tag >>> 44), null);
        }
    }

    /** The handler of a request, or {@code null} if it is gone. */
    public WorkCompletionHandler find(long request) {
        AtomicReferenceArray<Entry> entries = places;
        int place = (int) (request >>> 44);
        Entry found = place < entries.length() ? entries.get(place) : null;
        return found != null && found.tag == (request & TAG) ? found.handler : null;
    }
}

package org.panamaverbs.rdmacore.queue;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.panamaverbs.ResourceException;

/**
 * Who has requests on a device, by the numbers that requests carry to the device and back:
 *
 * <pre>
 * place 20 | generation 11 | send or receive 1 | sequence 32
 * </pre>
 *
 * A completion of one that is gone finds nobody, also where its place is taken again.
 */
public final class Requesters {
    /** The bit of send requests. */
    public static final long SEND = 1L << 32;
    private static final int PLACES = 1 << 20;
    private static final int GENERATIONS = 1 << 11;
    private static final long TAG = -(1L << 33);

    private volatile AtomicReferenceArray<Requester> places = new AtomicReferenceArray<>(16);
    private int generation;

    /** Takes one in; gives the tag of its requests. */
    public synchronized long add(Requester requester) {
        AtomicReferenceArray<Requester> now = places;
        int place = 0;
        while (place < now.length() && now.get(place) != null) {
            place++;
        }
        if (place == now.length()) {
            if (place == PLACES) {
                throw new ResourceException(
                        "there are " + PLACES + " queue pairs and shared receive queues, the most for a device: close some");
            }
            AtomicReferenceArray<Requester> larger = new AtomicReferenceArray<>(2 * place);
            for (int i = 0; i < place; i++) {
                larger.set(i, now.get(i));
            }
            now = larger;
        }
        generation = (generation + 1) % GENERATIONS;
        now.set(place, requester);
        places = now;
        return (long) place << 44 | (long) generation << 33;
    }

    /** Without effect on one that was never added. */
    public synchronized void remove(Requester requester) {
        places.compareAndSet((int) (requester.tag() >>> 44), requester, null);
    }

    /** Whose request it was, or {@code null}. */
    public Requester find(long request) {
        AtomicReferenceArray<Requester> now = places;
        int place = (int) (request >>> 44);
        Requester found = place < now.length() ? now.get(place) : null;
        return found != null && found.tag() == (request & TAG) ? found : null;
    }
}

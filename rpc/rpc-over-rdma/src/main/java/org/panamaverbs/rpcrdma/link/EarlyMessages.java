package org.panamaverbs.rpcrdma.link;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Keeps the messages that come before this side is ready for them: a peer sends as soon as it is connected, perhaps before this side hears
 * that. There are no more than posted receives. The thread that takes completions alone uses this.
 */
final class EarlyMessages {
    /** Takes messages in their order. */
    interface Receiver {
        /**
         * A message.
         *
         * @param receive     the number of the receive that it is in
         * @param length      its bytes
         * @param invalidated whether the peer invalidated a handle with it
         * @param handle      that handle
         */
        void onMessage(int receive, long length, boolean invalidated, int handle);
    }

    private record Early(int receive, long length, boolean invalidated, int handle) {
    }

    private final Receiver receiver;
    private final Queue<Early> kept = new ArrayDeque<>();
    private boolean open;

    EarlyMessages(Receiver receiver) {
        this.receiver = receiver;
    }

    /** Passes a message on, or keeps it. */
    void onMessage(int receive, long length, boolean invalidated, int handle) {
        if (open) {
            receiver.onMessage(receive, length, invalidated, handle);
        } else {
            kept.add(new Early(receive, length, invalidated, handle));
        }
    }

    /** Passes on what it has kept, and from now on each message at once. */
    void open() {
        for (Early each = kept.poll(); each != null; each = kept.poll()) {
            receiver.onMessage(each.receive, each.length, each.invalidated, each.handle);
        }
        open = true;
    }
}

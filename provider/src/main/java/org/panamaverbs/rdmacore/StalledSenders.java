package org.panamaverbs.rdmacore;

import java.util.concurrent.CopyOnWriteArrayList;
import org.panamaverbs.rdmacore.post.SendWorkQueue;

/** The send queues that complete in a queue: requests that the device had no room for are submitted as room comes. */
final class StalledSenders {
    private final CopyOnWriteArrayList<SendWorkQueue> senders = new CopyOnWriteArrayList<>();
    private volatile boolean stalled;

    void add(SendWorkQueue sender) {
        senders.add(sender);
    }

    void remove(SendWorkQueue sender) {
        senders.remove(sender);
    }

    /** The device had no room for a request of one of them. */
    void onStalled() {
        stalled = true;
    }

    /** After a poll, which may have made room. */
    void retry() {
        if (stalled) {
            // Before the senders retry: a sender that has no room then says so again.
            stalled = false;
            senders.forEach(SendWorkQueue::submitStalled);
        }
    }
}

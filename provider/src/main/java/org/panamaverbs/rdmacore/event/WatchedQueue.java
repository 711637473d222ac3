package org.panamaverbs.rdmacore.event;

/** A completion queue, as the thread sees it that reads its events. */
public interface WatchedQueue extends EventSource {
    /** The device says that something completed. */
    void onEvent();

    /** The device had no room for a completion; after that event is acknowledged. */
    void onOverrun();
}

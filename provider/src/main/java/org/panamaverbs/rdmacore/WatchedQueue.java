package org.panamaverbs.rdmacore;

/** A completion queue, as the thread sees it that reads its events. */
interface WatchedQueue extends EventSource {
    /** The device says that something completed. */
    void onEvent();

    /** The device had no room for a completion; after that event is acknowledged. */
    void onOverrun();
}

package org.panamaverbs.rdmacore;

import org.panamaverbs.AsynchronousEvent;

/** An object that asynchronous events name. */
interface EventSource {
    WatchedDevice device();

    /** Something happened to it; by an event reader, which has not acknowledged yet: destroying waits for this to return. */
    void onAsynchronous(AsynchronousEvent.Type type);
}

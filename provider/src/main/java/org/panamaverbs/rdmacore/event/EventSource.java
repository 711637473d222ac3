package org.panamaverbs.rdmacore.event;

import org.panamaverbs.AsynchronousEvent;

/** An object that asynchronous events name. */
public interface EventSource {
    WatchedDevice device();

    /** The object, as programs know it. */
    AsynchronousEvent.Source verbsObject();

    /** Something happened to it; by an event reader, which has not acknowledged yet: destroying waits for this to return. */
    void onAsynchronous(AsynchronousEvent.Type type);

    /**
     * The same once the event is acknowledged: for an event that ends queue pairs, since a thread that destroys one of them may wait for that.
     */
    default void afterAsynchronous(AsynchronousEvent.Type type) {
        // Most events end nothing else.
    }
}

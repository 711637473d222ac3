package org.panamaverbs.rdmacore.event;

import org.panamaverbs.AsynchronousEvent;

/** An object that asynchronous events name. */
public interface EventSource {
    WatchedDevice device();

    /** The object, as programs know it. */
    AsynchronousEvent.Source verbsObject();

    /** Something happened to it; by an event reader, which has not acknowledged yet: destroying waits for this to return. */
    void onAsynchronous(AsynchronousEvent.Type type);
}

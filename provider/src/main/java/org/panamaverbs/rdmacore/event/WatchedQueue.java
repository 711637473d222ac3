package org.panamaverbs.rdmacore.event;

/** A completion queue, as the threads see it that read events. */
public interface WatchedQueue extends EventSource {
    /** The device has raised the event that was asked for; by a thread that reads the queue's channel. */
    void onEvent();
}

package org.panamaverbs.softiwarp.queue;

/** Is notified of events in a completion queue. */
public interface CompletionListener {
    /**
     * There is a completion to poll. Called once after the queue was armed, by the thread that added the completion. That thread holds no
     * lock of the ring. Must not block.
     */
    void onCompletion();

    /**
     * A completion was lost because the queue was full. Called once, by the thread that could not add the completion. That thread holds no
     * lock of the ring. Must not block.
     */
    default void onOverrun() {
        // A thread that polls sees the overrun without this call.
    }
}

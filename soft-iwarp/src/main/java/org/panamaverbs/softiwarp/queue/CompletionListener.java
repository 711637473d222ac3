package org.panamaverbs.softiwarp.queue;

/** Is told of what happens in a completion queue. */
public interface CompletionListener {
    /** Once after the queue was armed: there is a completion to poll. By the thread that added it, outside of any lock; it does not wait. */
    void onCompletion();

    /** Once: a completion was lost because the queue was full. By the thread that was to add it, outside of any lock; it does not wait. */
    default void onOverrun() {
        // Polls find out by themselves.
    }
}

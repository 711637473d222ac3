package org.panamaverbs.softiwarp.queue;

/** Is told once, after it was armed, that there is a completion to poll. */
public interface CompletionListener {
    /** Called by the thread that added the completion, outside of any lock; it does not wait. */
    void onCompletion();
}

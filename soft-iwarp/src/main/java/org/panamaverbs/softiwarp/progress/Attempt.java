package org.panamaverbs.softiwarp.progress;

/** A stream that is being established. It has no driver yet, so the loop ends the attempt if the loop itself ends first. */
@FunctionalInterface
public interface Attempt {
    /** The loop ends: closes the channel, and reports the failure. The leader calls it. */
    void onLoopClosed();
}

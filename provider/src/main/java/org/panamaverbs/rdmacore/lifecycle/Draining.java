package org.panamaverbs.rdmacore.lifecycle;

/** A queue pair whose end has begun, or is about to: it drains. */
public interface Draining {
    /** Takes the next step; {@code true} once nothing is outstanding any more. By the event reader, or a thread that closes the queue pair. */
    boolean tryDrain();
}

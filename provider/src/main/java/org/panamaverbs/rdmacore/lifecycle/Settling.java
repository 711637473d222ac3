package org.panamaverbs.rdmacore.lifecycle;

/** A queue pair that comes to its end. */
public interface Settling {
    /** Looks how far the end has come; {@code true} once nothing is outstanding any more. By the event reader, or who closes. */
    boolean settle();
}

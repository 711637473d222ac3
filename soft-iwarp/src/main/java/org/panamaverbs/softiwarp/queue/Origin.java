package org.panamaverbs.softiwarp.queue;

/**
 * The queue pair that completions name.
 *
 * @param queuePair  its number
 * @param attachment the program's object that completions give back, or {@code null}
 */
public record Origin(int queuePair, Object attachment) {
    /** A queue pair without an attachment. */
    public static Origin of(int queuePair) {
        return new Origin(queuePair, null);
    }
}

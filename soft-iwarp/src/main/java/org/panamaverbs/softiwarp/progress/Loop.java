package org.panamaverbs.softiwarp.progress;

import java.lang.foreign.MemorySegment;

/**
 * What a {@link StreamDriver} asks of the loop that it belongs to. {@link EventLoop} is the one of real connections; a simulation has
 * another one, with a clock and a network of its own.
 */
public interface Loop {
    /** The time in nanoseconds, from any origin. */
    long now();

    /** Whether the calling thread leads the loop. */
    boolean isLeader();

    /** A driver has started; by the leader. */
    void add(StreamDriver driver);

    /** A driver is gone; by the leader. */
    void remove(StreamDriver driver);

    /** Gives a driver a turn ({@link StreamDriver#onTurn}) soon; by the leader. */
    void addReady(StreamDriver driver);

    /** Has the leader run a task soon. */
    void execute(Runnable task);

    /** Has the leader run a task after a while. */
    Timer schedule(long delayNanos, Runnable task);

    /** Has the leader run a task, and waits until it has; at once if the caller leads. */
    void call(Runnable task);

    /** Memory for bytes that nobody wants; of the leader. */
    MemorySegment scratch();
}

package org.panamaverbs.softiwarp.progress;

import java.lang.foreign.MemorySegment;

/**
 * The loop of a {@link Driver}, as the driver uses it. {@link EventLoop} serves real connections; a simulation has its own loop, with
 * its own clock and network.
 */
public interface Loop {
    /** The time in nanoseconds, from any origin. */
    long now();

    /** Whether the calling thread leads the loop. */
    boolean isLeader();

    /** Adds a driver that has started. Only the leader calls it. */
    void add(Driver driver);

    /** Removes a driver that has finished. Only the leader calls it. */
    void remove(Driver driver);

    /** Gives a driver a turn ({@link Driver#onTurn}) soon. Only the leader calls it. */
    void addReady(Driver driver);

    /** Makes the leader run a task soon. */
    void execute(Runnable task);

    /** Makes the leader run a task after a delay. */
    Timer schedule(long delayNanos, Runnable task);

    /** Makes the leader run a task, and waits until it is done; if the caller leads, it runs the task at once. */
    void call(Runnable task);

    /** 64 KiB for bytes that pass within one call: received ones that are discarded, and those of handshakes. Only the leader uses it. */
    MemorySegment scratch();
}

package org.panamaverbs.rpcrdma.link;

/**
 * Room in a completion queue that queue pairs share. Each takes as many entries as it can have completions at a time, so the queue never
 * overruns. Any thread may call any method.
 */
final class QueueRoom {
    private final int capacity;
    private int taken;
    private boolean closed;

    /**
     * Makes one.
     *
     * @param capacity entries of the queue
     */
    QueueRoom(int capacity) {
        this.capacity = capacity;
    }

    /** Takes entries; {@code false} if there are not so many, or the room is closed. */
    synchronized boolean tryTake(int entries) {
        if (closed || entries > capacity - taken) {
            return false;
        }
        taken += entries;
        return true;
    }

    /** Gives entries back, whose completions were polled or cannot come any more. */
    synchronized void giveBack(int entries) {
        taken -= entries;
    }

    /** Gives no more; {@code false} if it was closed before. */
    synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }
}

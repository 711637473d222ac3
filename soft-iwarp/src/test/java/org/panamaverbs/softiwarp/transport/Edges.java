package org.panamaverbs.softiwarp.transport;

/** Counts edges of one kind, for a thread that waits for the next. */
final class Edges {
    private int count;

    synchronized void report(int events) {
        if (events != 0) {
            count++;
            notifyAll();
        }
    }

    synchronized int seen() {
        return count;
    }

    /** Waits until more edges were reported than the caller had seen before it read or wrote. */
    synchronized void awaitOther(int seen) throws InterruptedException {
        while (count == seen) {
            wait();
        }
    }
}

package org.panamaverbs.rdmacore.lifecycle;

import java.util.concurrent.locks.ReentrantLock;

/** Lets one thread close an object, and all others wait until it has: that thread may still need the object that they close next. */
public final class Closing {
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;

    /**
     * Closes the object, if that is not done; an interrupt does not end it.
     *
     * @param first the steps that may be taken again: if they throw, the object is not closed, and the next call tries again
     * @param last  the steps that may not, as destroying a native object. They are taken once, even if they throw.
     */
    public void once(Runnable first, Runnable last) {
        lock.lock();
        try {
            if (!closed) {
                first.run();
                closed = true;
                last.run();
            }
        } finally {
            lock.unlock();
        }
    }
}

package org.panamaverbs.rdmacore.lifecycle;

import java.util.concurrent.CountDownLatch;

/** Lets one thread close an object, and all others wait until it has: that thread may still need the object that they close next. */
public final class Closing {
    private final CountDownLatch done = new CountDownLatch(1);
    private boolean begun;

    /** {@code true} for the first thread, which then closes and calls {@link #end}; for all others {@code false}, once that is done. */
    public boolean begin() {
        synchronized (this) {
            if (!begun) {
                begun = true;
                return true;
            }
        }
        awaitEnd();
        return false;
    }

    public void end() {
        done.countDown();
    }

    private void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

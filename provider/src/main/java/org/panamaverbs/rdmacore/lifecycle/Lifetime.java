package org.panamaverbs.rdmacore.lifecycle;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** Keeps objects alive while others are made of them: shared by threads that make, exclusive to a thread that destroys. */
public final class Lifetime {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Makes an object of others, which are not destroyed meanwhile. Whether they are closed is to be asked inside. */
    public <T> T creating(Supplier<T> maker) {
        lock.readLock().lock();
        try {
            return maker.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Destroys an object; no thread makes another object of it meanwhile. */
    public void destroying(Runnable action) {
        lock.writeLock().lock();
        try {
            action.run();
        } finally {
            lock.writeLock().unlock();
        }
    }
}

package org.panamaverbs.ddp.socket;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.spi.support.Waits;

/** The turn of the thread that sends on a socket: one message at a time, and the wait for room. */
final class SendTurn {
    /** A socket as its senders wait for it. */
    interface Sender {
        /** Whether the transport takes a byte, or never will. */
        boolean isReadyToSend();

        /** The socket in words. */
        String describe();

        /** The loops that may change that. */
        EventLoop[] loops();
    }

    private final Sender socket;
    private final Duration timeout;
    private final long nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final WaitPoint room = new WaitPoint();
    private final BooleanSupplier ready;
    private long deadline;

    SendTurn(Sender socket, Duration timeout) {
        this.socket = socket;
        this.timeout = timeout;
        this.nanos = Waits.nanos(timeout);
        this.ready = socket::isReadyToSend;
    }

    /** Takes the turn; {@link #end} gives it back, whatever happens between. */
    void begin() {
        long start = System.nanoTime();
        if (!lock.tryLock()) {
            try {
                if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
                    throw timedOut();
                }
            } catch (InterruptedException e) {
                throw Waits.interrupted(e);
            }
        }
        deadline = start + nanos;
    }

    /** Waits until the transport takes a byte, or never will. */
    void await() {
        if (socket.isReadyToSend()) {
            return;
        }
        long left = nanos == Long.MAX_VALUE ? nanos : Math.max(0, deadline - System.nanoTime());
        if (!room.await(socket.loops(), ready, left)) {
            throw timedOut();
        }
    }

    private RuntimeException timedOut() {
        return Waits.timedOut(socket.describe() + " took no data", timeout);
    }

    /** Gives the turn to the next thread. */
    void end() {
        lock.unlock();
    }

    /** Makes a waiting thread check again. */
    void signal() {
        room.signal();
    }

    /** Wakes the threads that wait, after the socket was closed, and waits until none sends: then no memory of a message is in use. */
    @SuppressWarnings("LockNotBeforeTry") // Nothing is between the two.
    void close() {
        room.signal();
        lock.lock();
        lock.unlock();
    }
}

package org.panamaverbs.rpcrdma.gate;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;

/**
 * The thread of a service that accepts connections, and has the {@link Gate} look at those that are there about once a second. For lack of
 * memory, descriptors or threads a connection may fail; the thread goes on with the next one.
 */
// Tested by AcceptorTest.
public final class Acceptor {
    /** The longest wait for a connection, in milliseconds. */
    public static final int TURN_MILLIS = 1000;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
    private final long restNanos;
    private final Gate gate;
    private final Door door;
    private final Object address;
    private final Complaints.Message notAccepted = new Complaints(Acceptor.class).message("a connection to {} was not accepted");
    private final Thread thread;
    private volatile boolean closed;

    /** Where connections come in. */
    public interface Door {
        /**
         * Waits for a connection for at most a turn, and serves it. It may throw anything: then no connection was accepted.
         *
         * @return {@code false} if no further one can come
         */
        boolean accept() throws IOException;

        /** Ends a wait; no further connection comes. */
        void close();
    }

    /**
     * Starts the thread.
     *
     * @param address of the door, for the log
     * @param rest    the pause in milliseconds after a connection was not accepted
     */
    public Acceptor(String name, Gate gate, Door door, Object address, long rest) {
        this.gate = gate;
        this.door = door;
        this.address = address;
        restNanos = TimeUnit.MILLISECONDS.toNanos(rest);
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
        thread.start();
    }

    private void run() {
        long swept = System.nanoTime();
        boolean open = true;
        while (open && !closed) {
            try {
                long nanoTime = System.nanoTime();
                if (nanoTime - swept >= TURN_NANOS) {
                    swept = nanoTime;
                    gate.sweep();
                }
                open = door.accept();
            } catch (IOException | RuntimeException | Error e) {
                // The wall of this thread: soon there may be memory, a descriptor or a thread again.
                if (!closed) {
                    notAccepted.error(address, e);
                    LockSupport.parkNanos(restNanos);
                }
            }
        }
    }

    /** Closes the door, and waits until the thread has ended, unless it is the calling one. */
    public void close() {
        closed = true;
        door.close();
        Waits.join(thread);
    }
}

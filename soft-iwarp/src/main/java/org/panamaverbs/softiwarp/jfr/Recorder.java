package org.panamaverbs.softiwarp.jfr;

import java.net.InetSocketAddress;
import org.panamaverbs.spi.FlightEvents;

/**
 * Records the events that soft-iwarp has besides those of all providers ({@link FlightEvents}). This class itself records nothing;
 * {@link #get} returns a recorder that writes to the Flight Recorder if the runtime has it. While no recording wants an event, its method
 * returns at once. Call the methods for operations only if {@link #isTimingOperations} returns true.
 */
public class Recorder {
    Recorder() {
    }

    /** The one recorder of this process. */
    public static Recorder get() {
        return Holder.INSTANCE;
    }

    /** Apart from the class, whose initializer a subclass waits for: two threads that begin at both ends would wait for each other. */
    private static final class Holder {
        private static final Recorder INSTANCE = FlightEvents.isAvailable() ? new FlightRecorderEvents() : new Recorder();
    }

    /** A connection, as events name it. */
    public record Peers(InetSocketAddress local, InetSocketAddress remote, int queuePair) {
    }

    /**
     * A Terminate was sent or received.
     *
     * @param error layer, type and code as {@code 0xLTCC}
     */
    public void onTerminate(Peers peers, boolean sent, int error) {
        // Nothing is recorded.
    }

    /** Whether a recording wants slow operations: then the caller takes their times. */
    public boolean isTimingOperations() {
        return false;
    }

    /**
     * A work request has completed.
     *
     * @param bytes its length
     * @param nanos from its post to its completion
     */
    public void onRequest(InetSocketAddress remote, int queuePair, Enum<?> operation, long bytes, long nanos) {
        // Nothing is recorded.
    }

    /** A turn of a connection on the event loop has ended; it took so many nanoseconds. */
    public void onTurn(InetSocketAddress remote, long nanos) {
        // Nothing is recorded.
    }
}

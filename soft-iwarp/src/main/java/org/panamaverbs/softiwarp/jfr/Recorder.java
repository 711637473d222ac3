package org.panamaverbs.softiwarp.jfr;

import java.net.InetSocketAddress;

/**
 * Records the events that soft-iwarp has besides those of all providers ({@code FlightEvents}). This class itself records nothing; {@link #get} returns a recorder that writes to the Flight Recorder if the runtime has
 * it. While no recording wants an event, its method returns at once. Call the methods for operations only if {@link #isTimingOperations}
 * returns true.
 */
public class Recorder {
    private static final Recorder INSTANCE = choose();

    Recorder() {
    }

    private static Recorder choose() {
        // The runtime may have no module jdk.jfr, or not resolve it: this module does not require it.
        boolean isThere = ModuleLayer.boot().findModule("jdk.jfr").filter(Recorder.class.getModule()::canRead).isPresent();
        return isThere ? new FlightRecorderEvents() : new Recorder();
    }

    /** The one recorder of this process. */
    public static Recorder get() {
        return INSTANCE;
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

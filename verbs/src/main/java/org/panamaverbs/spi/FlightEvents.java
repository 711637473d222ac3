package org.panamaverbs.spi;

import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Route;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The events of the JDK's Flight Recorder (JFR) that all providers have: connections and registered memory. {@link DeviceCounters} reports the
 * connections. A provider calls the methods for memory, and takes times only while {@link #isTimingRegistrations} returns {@code true}.
 *
 * <p>The module {@code jdk.jfr} is optional: without it nothing is recorded. This class names no class of JFR outside of its event classes, and
 * holds no object of those, so that a runtime without JFR can verify it. Each kind has one event object that is never committed: while no
 * recording runs, the overhead is a call of {@code isEnabled()} on that object. {@code EventType} could answer the same question, but would
 * start the Flight Recorder.
 */
// Tested by FlightRecorderTest, FlightRecorderFaultsTest.
@SuppressWarnings("UnusedVariable") // The Flight Recorder reads the fields of events.
public final class FlightEvents {
    // The runtime may have no module jdk.jfr, or not resolve it: this module does not require it.
    private static final boolean AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").filter(FlightEvents.class.getModule()::canRead)
            .isPresent();

    private FlightEvents() {
    }

    /** {@return whether events are written when a recording runs; never changes} */
    public static boolean isAvailable() {
        return AVAILABLE;
    }

    /**
     * A connection is established.
     *
     * @param initiator whether this side asked for it
     * @param crc       whether frames have CRCs that this library makes
     */
    static void onEstablished(Connection connection, boolean initiator, boolean crc) {
        if (AVAILABLE) {
            ConnectionEstablished.record(connection, initiator, crc);
        }
    }

    /**
     * A connection has ended.
     *
     * @param nanos its lifetime
     */
    static void onEnded(Connection connection, ConnectionEnd end, long nanos) {
        if (AVAILABLE) {
            ConnectionEnded.record(connection, end, nanos);
        }
    }

    /** {@return whether a recording wants registrations: then the caller takes their times} */
    public static boolean isTimingRegistrations() {
        return AVAILABLE && (MemoryRegistration.isWanted() || MemoryDeregistration.isWanted());
    }

    /**
     * Memory was registered; only while {@link #isTimingRegistrations}.
     *
     * @param key   the remote key, on iWARP the STag
     * @param bytes its length
     * @param nanos the time that the registration took
     */
    public static void onRegistered(int key, long bytes, long nanos) {
        MemoryRegistration.record(key, bytes, nanos);
    }

    /**
     * A region was closed; only while {@link #isTimingRegistrations}. On soft-iwarp the time includes the wait for the last use of the memory.
     *
     * @param key   the remote key, on iWARP the STag
     * @param bytes its length
     * @param nanos the time that it took
     */
    public static void onDeregistered(int key, long bytes, long nanos) {
        MemoryDeregistration.record(key, bytes, nanos);
    }

    /** An event of a connection. Its stack trace would be that of a thread of the provider. */
    @Category("panama-verbs")
    @Registered(false)
    @StackTrace(false)
    private abstract static class ConnectionEvent extends Event {
        @Label("Device")
        @Nullable
        String device;

        @Label("Local Address")
        @Nullable
        String local;

        @Label("Remote Address")
        @Nullable
        String remote;

        @Label("Queue Pair")
        @Description("Its number on this device")
        int queuePair;

        final void fillIn(Connection connection) {
            device = connection.queuePair().domain().device().name();
            local = Route.text(connection.localAddress());
            remote = Route.text(connection.remoteAddress());
            queuePair = connection.queuePair().number();
        }
    }

    @Name("panamaverbs.ConnectionEstablished")
    @Label("Connection Established")
    @Description("Both sides have agreed on a connection")
    @Registered
    private static final class ConnectionEstablished extends ConnectionEvent {
        private static final ConnectionEstablished PROBE = new ConnectionEstablished();

        @Label("Initiator")
        @Description("Whether this side asked for the connection")
        boolean initiator;

        @Label("Path")
        @Description("What the bytes go through: TCP, memory that two processes share, or the transport of a device")
        @Nullable
        String path;

        @Label("CRC")
        @Description("Whether FPDUs of soft-iwarp have CRCs; false on devices, which decide that themselves")
        boolean crc;

        @Label("Inbound Reads")
        @Description("How many Reads of the peer this side serves at a time (IRD)")
        int inboundReads;

        @Label("Outbound Reads")
        @Description("How many Reads of this side may be outstanding (ORD)")
        int outboundReads;

        static void record(Connection connection, boolean initiator, boolean crc) {
            if (PROBE.isEnabled()) {
                ConnectionEstablished event = new ConnectionEstablished();
                event.fillIn(connection);
                event.initiator = initiator;
                event.path = connection.path();
                event.crc = crc;
                event.inboundReads = connection.inboundReads();
                event.outboundReads = connection.outboundReads();
                event.commit();
            }
        }
    }

    @Name("panamaverbs.ConnectionEnded")
    @Label("Connection Ended")
    @Description("A connection has ended, in good order or not")
    @Registered
    private static final class ConnectionEnded extends ConnectionEvent {
        private static final ConnectionEnded PROBE = new ConnectionEnded();

        @Label("Lifetime")
        @Description("How long the connection was established")
        @Timespan(Timespan.NANOSECONDS)
        long lifetime;

        @Label("Cause")
        @Description("orderly, remote error, local error or lost")
        @Nullable
        String cause;

        @Label("Reason")
        @Description("The message of the failure")
        @Nullable
        String reason;

        @Label("Bytes Sent")
        @Description("Payload, without headers; of the peer's Reads on soft-iwarp alone")
        @DataAmount
        long bytesSent;

        @Label("Bytes Received")
        @Description("Payload, without headers; of the peer's Writes on soft-iwarp alone")
        @DataAmount
        long bytesReceived;

        static void record(Connection connection, ConnectionEnd end, long nanos) {
            if (PROBE.isEnabled()) {
                ConnectionEnded event = new ConnectionEnded();
                event.fillIn(connection);
                event.lifetime = nanos;
                event.cause = end.cause().name().toLowerCase(Locale.ROOT).replace('_', ' ');
                event.reason = end.failure().map(Throwable::getMessage).orElse(null);
                QueuePairStatistics counts = connection.queuePair().statistics();
                event.bytesSent = counts.bytesSent().orElse(0) + counts.bytesReadByPeer().orElse(0);
                event.bytesReceived = counts.bytesReceived().orElse(0) + counts.bytesWrittenByPeer().orElse(0);
                event.commit();
            }
        }
    }

    /** An event of registered memory. */
    @Category("panama-verbs")
    @Registered(false)
    private abstract static class MemoryEvent extends Event {
        @Label("STag")
        @Description("The remote key, which iWARP calls STag")
        long stag;

        @Label("Length")
        @DataAmount
        long length;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        final void commit(int key, long bytes, long nanos) {
            stag = Integer.toUnsignedLong(key);
            length = bytes;
            took = nanos;
            commit();
        }
    }

    @Name("panamaverbs.MemoryRegistration")
    @Label("Memory Registration")
    @Description("Memory was registered")
    @Registered
    private static final class MemoryRegistration extends MemoryEvent {
        private static final MemoryRegistration PROBE = new MemoryRegistration();

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void record(int key, long bytes, long nanos) {
            new MemoryRegistration().commit(key, bytes, nanos);
        }
    }

    @Name("panamaverbs.MemoryDeregistration")
    @Label("Memory Deregistration")
    @Description("A memory region was closed")
    @Registered
    private static final class MemoryDeregistration extends MemoryEvent {
        private static final MemoryDeregistration PROBE = new MemoryDeregistration();

        static boolean isWanted() {
            return PROBE.isEnabled();
        }

        static void record(int key, long bytes, long nanos) {
            new MemoryDeregistration().commit(key, bytes, nanos);
        }
    }
}

package org.panamaverbs.softiwarp.jfr;

import java.net.InetSocketAddress;
import java.util.Locale;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** The recorder of a runtime that has the Flight Recorder. An event object exists only while a recording wants its event. */
final class FlightRecorderEvents extends Recorder {
    // Never committed: they only say whether a recording wants their kind. EventType could say so as well, but would start the recorder.
    private static final ConnectionEstablished ESTABLISHED = new ConnectionEstablished();
    private static final ConnectionEnded ENDED = new ConnectionEnded();
    private static final TerminateEvent TERMINATE = new TerminateEvent();
    private static final MemoryRegistration REGISTRATION = new MemoryRegistration();
    private static final MemoryDeregistration DEREGISTRATION = new MemoryDeregistration();
    private static final SlowOperation SLOW = new SlowOperation();

    @Override
    public boolean isAvailable() {
        return true;
    }

    private static String text(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static void fillIn(ConnectionEvent event, Peers peers) {
        event.local = Route.text(peers.local());
        event.remote = Route.text(peers.remote());
        event.queuePair = peers.queuePair();
    }

    @Override
    public void onEstablished(Peers peers, String path, boolean initiator, boolean crc, int ird, int ord) {
        if (ESTABLISHED.isEnabled()) {
            ConnectionEstablished event = new ConnectionEstablished();
            fillIn(event, peers);
            event.initiator = initiator;
            event.path = path;
            event.crc = crc;
            event.inboundReads = ird;
            event.outboundReads = ord;
            event.commit();
        }
    }

    @Override
    public void onEnded(Peers peers, long nanos, Enum<?> cause, String reason, long bytesSent, long bytesReceived) {
        if (ENDED.isEnabled()) {
            ConnectionEnded event = new ConnectionEnded();
            fillIn(event, peers);
            event.lifetime = nanos;
            event.cause = text(cause);
            event.reason = reason;
            event.bytesSent = bytesSent;
            event.bytesReceived = bytesReceived;
            event.commit();
        }
    }

    @Override
    public void onTerminate(Peers peers, boolean sent, int error) {
        if (TERMINATE.isEnabled()) {
            TerminateEvent event = new TerminateEvent();
            fillIn(event, peers);
            event.direction = sent ? "sent" : "received";
            event.layer = TerminateCode.layer(error);
            event.type = TerminateCode.type(error);
            event.code = TerminateCode.code(error);
            event.description = TerminateCode.describe(error);
            event.commit();
        }
    }

    @Override
    public boolean isTimingRegistrations() {
        return REGISTRATION.isEnabled() || DEREGISTRATION.isEnabled();
    }

    @Override
    public void onRegistered(int stag, long bytes, long nanos) {
        record(new MemoryRegistration(), stag, bytes, nanos);
    }

    @Override
    public void onDeregistered(int stag, long bytes, long nanos) {
        record(new MemoryDeregistration(), stag, bytes, nanos);
    }

    private static void record(MemoryEvent event, int stag, long bytes, long nanos) {
        event.stag = Integer.toUnsignedLong(stag);
        event.length = bytes;
        event.took = nanos;
        event.commit();
    }

    @Override
    public boolean isTimingOperations() {
        return SLOW.isEnabled();
    }

    @Override
    public void onRequest(InetSocketAddress remote, int queuePair, Enum<?> operation, long bytes, long nanos) {
        if (LongerThan.isExceededBy(nanos)) {
            SlowOperation event = new SlowOperation();
            event.operation = text(operation);
            event.remote = Route.text(remote);
            event.queuePair = queuePair;
            event.length = bytes;
            event.took = nanos;
            event.commit();
        }
    }

    @Override
    public void onTurn(InetSocketAddress remote, long nanos) {
        if (LongerThan.isExceededBy(nanos)) {
            SlowOperation event = new SlowOperation();
            event.operation = "turn";
            event.remote = Route.text(remote);
            event.took = nanos;
            event.commit();
        }
    }
}

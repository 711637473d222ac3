package org.panamaverbs.softiwarp.jfr;

import java.net.InetSocketAddress;
import java.util.Locale;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** The recorder of a runtime that has the Flight Recorder. An event object exists only while a recording wants its event. */
final class FlightRecorderEvents extends Recorder {
    // Never committed: they only say whether a recording wants their kind. EventType could say so as well, but would start the recorder.
    private static final TerminateEvent TERMINATE = new TerminateEvent();
    private static final SlowOperation SLOW = new SlowOperation();

    private static String text(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static void fillIn(ConnectionEvent event, Peers peers) {
        event.local = Route.text(peers.local());
        event.remote = Route.text(peers.remote());
        event.queuePair = peers.queuePair();
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

package org.panamaverbs.ddp.socket.protocol;

import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.ddpp.Drop;
import org.panamaverbs.ddp.ddpp.ReceptionCounters;
import org.panamaverbs.softiwarp.mpa.ReceiveCounters;

/** The counts of a socket. The sending thread writes the first three, the receiving thread the others. */
public final class SocketCounters implements ReceiveCounters, ReceptionCounters {
    public long messagesSent;
    public long bytesSent;
    public long partsSent;
    private long partsReceived;
    private final long[] dropped = new long[Drop.values().length];

    @Override
    public void onCall() {
        // Calls are not counted.
    }

    @Override
    public void onPlaced(int bytes) {
        // The client counts placed bytes.
    }

    @Override
    public void onStaged(int bytes) {
        // The client counts placed bytes.
    }

    @Override
    public void onFpdu() {
        partsReceived++;
    }

    @Override
    public void onMessage(int payload) {
        partsReceived++;
    }

    @Override
    public void onDropped(Drop reason) {
        partsReceived++;
        dropped[reason.ordinal()]++;
    }

    /** Messages were dropped before the protocol saw them. */
    public void onTruncated(long messages) {
        partsReceived += messages;
        dropped[Drop.MALFORMED.ordinal()] += messages;
    }

    private long dropped(Drop reason) {
        return dropped[reason.ordinal()];
    }

    /** The counts now; placed bytes and indications are counted elsewhere. */
    public DdpCounters snapshot(long placed, long indications) {
        return new DdpCounters(messagesSent, bytesSent, partsSent, partsReceived, placed, indications, dropped(Drop.MALFORMED),
                dropped(Drop.UNKNOWN_STAG), dropped(Drop.OUT_OF_BOUNDS), dropped(Drop.LATE), dropped(Drop.WITHOUT_RECEIVE),
                dropped(Drop.TOO_LONG), dropped(Drop.REFUSED_BY_BUFFER));
    }
}

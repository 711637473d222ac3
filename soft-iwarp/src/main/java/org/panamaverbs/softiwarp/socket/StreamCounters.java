package org.panamaverbs.softiwarp.socket;

import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.softiwarp.mpa.ReceiveCounters;

/** The counts of a stream socket. The sending thread writes the first three, the receiving thread the others. */
final class StreamCounters implements ReceiveCounters {
    long messagesSent;
    long bytesSent;
    long partsSent;
    long partsReceived;
    long malformed;
    long unknownStags;
    long outOfBounds;
    long refusedByBuffers;

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

    DdpCounters snapshot(long placed, long indications) {
        return new DdpCounters(messagesSent, bytesSent, partsSent, partsReceived, placed, indications, malformed, unknownStags, outOfBounds,
                0,
                0, 0, refusedByBuffers);
    }
}

package org.panamaverbs.softiwarp.qp;

import org.panamaverbs.softiwarp.mpa.ReceiveCounters;

/** What a stream has carried. Each field has one writer, the thread that drives its direction; others read it without order. */
public final class Counters implements ReceiveCounters {
    /** By the receiving thread. */
    long bytesReceived;
    long bytesPlacedDirectly;
    long bytesStaged;
    long segmentsReceived;
    long readCalls;
    /** By the transmitting thread. */
    long bytesSent;
    long segmentsSent;
    long writeCalls;
    long bytesWritten;

    @Override
    public void onCall() {
        readCalls++;
    }

    @Override
    public void onPlaced(int bytes) {
        bytesReceived += bytes;
        bytesPlacedDirectly += bytes;
    }

    @Override
    public void onStaged(int bytes) {
        bytesReceived += bytes;
        bytesStaged += bytes;
    }

    @Override
    public void onFpdu() {
        segmentsReceived++;
    }

    /** Payload received. */
    public long bytesReceived() {
        return bytesReceived;
    }

    /** Payload that the system put in its place. */
    public long bytesPlacedDirectly() {
        return bytesPlacedDirectly;
    }

    /** Payload copied from the stage. */
    public long bytesStaged() {
        return bytesStaged;
    }

    /** FPDUs received. */
    public long segmentsReceived() {
        return segmentsReceived;
    }

    /** Times that bytes were received. */
    public long readCalls() {
        return readCalls;
    }

    /** Payload sent. */
    public long bytesSent() {
        return bytesSent;
    }

    /** FPDUs sent. */
    public long segmentsSent() {
        return segmentsSent;
    }

    /** Bytes sent, headers included. */
    public long bytesWritten() {
        return bytesWritten;
    }

    /** Times that bytes were sent. */
    public long writeCalls() {
        return writeCalls;
    }
}

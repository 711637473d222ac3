package org.panamaverbs.softiwarp.qp;

import org.panamaverbs.softiwarp.mpa.ReceiveCounters;

/**
 * Counters of the bytes and messages of a stream. One thread writes each field: the one that drives that direction. Others may see old values.
 *
 * <p>Payload is what lies in memory of programs at both ends: that of Sends, Writes and answers to Reads. Immediate data and the numbers of
 * atomics do not count, so that an end counts as received what the other counts as sent.
 */
public final class Counters implements ReceiveCounters {
    /** Written by the receiving thread, down to the transmitting thread's. */
    long bytesReceived;
    long bytesPlacedDirectly;
    long bytesStaged;
    long segmentsReceived;
    long readCalls;
    long checksumErrors;
    long terminatesReceived;
    /** Written by the transmitting thread, from here on. */
    long bytesSent;
    long bytesReadByPeer;
    long segmentsSent;
    long writeCalls;
    long bytesWritten;
    long terminatesSent;

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

    /** Bytes of payload received: messages, the peer's Writes, and answers to Reads. */
    public long bytesReceived() {
        return bytesReceived;
    }

    /** Bytes of payload that a read call wrote to their place directly. */
    public long bytesPlacedDirectly() {
        return bytesPlacedDirectly;
    }

    /** Bytes of payload copied from the stage to their place. */
    public long bytesStaged() {
        return bytesStaged;
    }

    /** FPDUs received. */
    public long segmentsReceived() {
        return segmentsReceived;
    }

    /** Read calls that returned bytes. */
    public long readCalls() {
        return readCalls;
    }

    /** Bytes of payload sent, of Sends and Writes. */
    public long bytesSent() {
        return bytesSent;
    }

    /** Bytes of payload sent, of answers to the peer's Reads. */
    public long bytesReadByPeer() {
        return bytesReadByPeer;
    }

    /** FPDUs sent. */
    public long segmentsSent() {
        return segmentsSent;
    }

    /** Bytes sent, headers included. */
    public long bytesWritten() {
        return bytesWritten;
    }

    /** Write calls that took bytes. */
    public long writeCalls() {
        return writeCalls;
    }

    /** FPDUs with a wrong CRC: 1 at most, since it ends the stream. */
    public long checksumErrors() {
        return checksumErrors;
    }

    /** Terminates that the channel has taken: 1 at most. */
    public long terminatesSent() {
        return terminatesSent;
    }

    /** Terminates that ended the stream: 1 at most. */
    public long terminatesReceived() {
        return terminatesReceived;
    }
}

package org.panamaverbs;

/** The traffic that a queue pair has carried since it was created; all counts only grow. */
public interface QueuePairStatistics {
    /** {@return the payload sent, in bytes, without any header} */
    default long bytesSent() {
        return 0;
    }

    /** {@return the payload received, in bytes, without any header} */
    default long bytesReceived() {
        return 0;
    }

    /** {@return how many of the bytes received the system put straight into their registered segment} */
    default long bytesPlacedDirectly() {
        return 0;
    }

    /** {@return how many of the bytes received went through a buffer of the provider and were copied from there} */
    default long bytesStaged() {
        return 0;
    }

    /** {@return the number of frames (on iWARP: FPDUs) sent} */
    default long segmentsSent() {
        return 0;
    }

    /** {@return the number of frames received} */
    default long segmentsReceived() {
        return 0;
    }

    /** {@return the number of system calls that received} */
    default long readCalls() {
        return 0;
    }

    /** {@return the number of system calls that sent} */
    default long writeCalls() {
        return 0;
    }

    /** {@return the number of frames whose checksum was wrong; each ends its connection} */
    default long checksumErrors() {
        return 0;
    }

    /** {@return the number of errors that this side reported to the peer (on iWARP: Terminates); each ends its connection} */
    default long terminatesSent() {
        return 0;
    }

    /** {@return the number of errors that the peer reported; each ends its connection} */
    default long terminatesReceived() {
        return 0;
    }
}

package org.panamaverbs;

/**
 * What a queue pair has carried since it was created; all counts only grow.
 *
 * @param bytesSent            payload sent, in bytes, without any header
 * @param bytesReceived        payload received, in bytes, without any header
 * @param bytesPlacedDirectly  of the bytes received, those that the system put straight into their registered segment
 * @param bytesStaged          of the bytes received, those that went through a buffer of the provider and were copied from there
 * @param segmentsSent         frames (on iWARP: FPDUs) sent
 * @param segmentsReceived     frames received
 * @param readCalls            system calls that received
 * @param writeCalls           system calls that sent
 */
public record QueuePairStatistics(long bytesSent, long bytesReceived, long bytesPlacedDirectly, long bytesStaged, long segmentsSent,
        long segmentsReceived, long readCalls, long writeCalls) {
}

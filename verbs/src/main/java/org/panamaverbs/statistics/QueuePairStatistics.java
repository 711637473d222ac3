package org.panamaverbs.statistics;

import java.util.Map;
import java.util.OptionalLong;
import org.panamaverbs.Incubating;

/**
 * Counts of a queue pair since it was created, and so of its connection: a queue pair connects once. An empty count is
 * one that the provider does not have.
 *
 * <p>Payload is counted on the side that asked for it ({@link #bytesSent}, {@link #bytesReceived}), and apart from that on the side whose
 * memory the peer used ({@link #bytesReadByPeer}, {@link #bytesWrittenByPeer}): RDMA devices do not report the latter. A request's bytes
 * count when it is posted at the earliest, and when it completes at the latest; those of a request that failed may count, too. Immediate
 * data and the numbers of atomics are no payload.
 */
@Incubating("which counts there are: providers still gain some")
public interface QueuePairStatistics {
    /** {@return the number of requests posted to the send queue} */
    default OptionalLong requestsPosted() {
        return OptionalLong.empty();
    }

    /** {@return how many of them are done, whether they failed or not, and whether the program has a completion or not} */
    default OptionalLong requestsCompleted() {
        return OptionalLong.empty();
    }

    /** {@return how many of those failed or were flushed} */
    default OptionalLong requestsFailed() {
        return OptionalLong.empty();
    }

    /** {@return the number of receives posted; empty with a shared receive queue: its receives are posted to no queue pair} */
    default OptionalLong receivesPosted() {
        return OptionalLong.empty();
    }

    /** {@return the number of receives that are done, whether they failed or not, those taken from a shared receive queue as well} */
    default OptionalLong receivesCompleted() {
        return OptionalLong.empty();
    }

    /** {@return how many of those failed or were flushed} */
    default OptionalLong receivesFailed() {
        return OptionalLong.empty();
    }

    /** {@return the payload of this side's Sends and Writes, in bytes} */
    default OptionalLong bytesSent() {
        return OptionalLong.empty();
    }

    /** {@return the payload of the messages received and of this side's Reads, in bytes} */
    default OptionalLong bytesReceived() {
        return OptionalLong.empty();
    }

    /** {@return the payload of the answers to the peer's Reads, in bytes} */
    default OptionalLong bytesReadByPeer() {
        return OptionalLong.empty();
    }

    /** {@return the payload of the peer's Writes, in bytes} */
    default OptionalLong bytesWrittenByPeer() {
        return OptionalLong.empty();
    }

    /** {@return how many of the bytes that came the system put straight into their registered segment} */
    default OptionalLong bytesPlacedDirectly() {
        return OptionalLong.empty();
    }

    /** {@return how many of the bytes that came went through a buffer of the provider and were copied from there} */
    default OptionalLong bytesStaged() {
        return OptionalLong.empty();
    }

    /** {@return the number of frames (on iWARP: FPDUs) sent} */
    default OptionalLong segmentsSent() {
        return OptionalLong.empty();
    }

    /** {@return the number of frames received} */
    default OptionalLong segmentsReceived() {
        return OptionalLong.empty();
    }

    /** {@return the number of system calls that received} */
    default OptionalLong readCalls() {
        return OptionalLong.empty();
    }

    /** {@return the number of system calls that sent} */
    default OptionalLong writeCalls() {
        return OptionalLong.empty();
    }

    /** {@return the number of frames whose checksum was wrong; each ends its connection} */
    default OptionalLong checksumErrors() {
        return OptionalLong.empty();
    }

    /** {@return the number of errors that this side reported to the peer (on iWARP: Terminates); each ends its connection} */
    default OptionalLong terminatesSent() {
        return OptionalLong.empty();
    }

    /** {@return the number of errors that the peer reported; each ends its connection} */
    default OptionalLong terminatesReceived() {
        return OptionalLong.empty();
    }

    /** {@return the counts that the provider has, by their names as {@link #describe()} has them, in its order; an unmodifiable map} */
    default Map<String, Long> counts() {
        return text().counts();
    }

    /** {@return all counts with their names, on one line, and the names of those that the provider does not have} */
    default String describe() {
        return text().toString();
    }

    private CountText text() {
        return new CountText().add("requests posted", requestsPosted()).add("requests completed", requestsCompleted())
                .add("requests failed", requestsFailed()).add("receives posted", receivesPosted())
                .add("receives completed", receivesCompleted()).add("receives failed", receivesFailed()).add("bytes sent", bytesSent())
                .add("bytes received", bytesReceived()).add("bytes read by the peer", bytesReadByPeer())
                .add("bytes written by the peer", bytesWrittenByPeer()).add("bytes placed directly", bytesPlacedDirectly())
                .add("bytes staged", bytesStaged()).add("segments sent", segmentsSent()).add("segments received", segmentsReceived())
                .add("read calls", readCalls()).add("write calls", writeCalls()).add("checksum errors", checksumErrors())
                .add("Terminates sent", terminatesSent()).add("Terminates received", terminatesReceived());
    }
}

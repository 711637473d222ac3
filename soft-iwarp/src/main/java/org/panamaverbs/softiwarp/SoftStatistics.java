package org.panamaverbs.softiwarp;

import java.util.OptionalLong;
import org.panamaverbs.softiwarp.qp.Counters;
import org.panamaverbs.softiwarp.qp.InboundStream;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.statistics.QueuePairStatistics;

/** The counts of a queue pair: its queues number their requests, so that nothing counts those, and its stream counts the traffic. */
record SoftStatistics(OptionalLong requestsPosted, OptionalLong requestsCompleted, OptionalLong requestsFailed, OptionalLong receivesPosted,
        OptionalLong receivesCompleted, OptionalLong receivesFailed, OptionalLong bytesSent, OptionalLong bytesReceived,
        OptionalLong bytesReadByPeer, OptionalLong bytesWrittenByPeer, OptionalLong bytesPlacedDirectly, OptionalLong bytesStaged,
        OptionalLong segmentsSent, OptionalLong segmentsReceived, OptionalLong readCalls, OptionalLong writeCalls,
        OptionalLong checksumErrors, OptionalLong terminatesSent, OptionalLong terminatesReceived) implements QueuePairStatistics {
    private static final OptionalLong NONE = OptionalLong.of(0);

    /** Of a queue pair; {@code stream} is {@code null} if it has not connected. */
    static SoftStatistics of(SendQueue sends, Receives receives, Stream stream) {
        Counters counters = stream == null ? new Counters() : stream.counters();
        InboundStream inbound = stream == null ? null : stream.inbound();
        return new SoftStatistics(OptionalLong.of(sends.posted()), OptionalLong.of(sends.retired()), OptionalLong.of(sends.failed()),
                receives instanceof WorkQueue own ? OptionalLong.of(own.posted()) : OptionalLong.empty(),
                OptionalLong.of(receives.completed()), OptionalLong.of(receives.failed()), OptionalLong.of(counters.bytesSent()),
                inbound == null ? NONE : OptionalLong.of(inbound.bytesReceived()), OptionalLong.of(counters.bytesReadByPeer()),
                inbound == null ? NONE : OptionalLong.of(inbound.bytesWrittenByPeer()), OptionalLong.of(counters.bytesPlacedDirectly()),
                OptionalLong.of(counters.bytesStaged()), OptionalLong.of(counters.segmentsSent()),
                OptionalLong.of(counters.segmentsReceived()), OptionalLong.of(counters.readCalls()), OptionalLong.of(counters.writeCalls()),
                OptionalLong.of(counters.checksumErrors()), OptionalLong.of(counters.terminatesSent()),
                OptionalLong.of(counters.terminatesReceived()));
    }

    @Override
    public String toString() {
        return describe();
    }
}

package org.panamaverbs.softiwarp;

import java.util.concurrent.atomic.LongAdder;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.device.DeviceStatistics;

/** Counts how the connections of a device began and ended. No counter changes while data moves. */
final class DeviceCounters {
    private final LongAdder established = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder orderly = new LongAdder();
    private final LongAdder localErrors = new LongAdder();
    private final LongAdder remoteErrors = new LongAdder();
    private final LongAdder lost = new LongAdder();

    void onEstablished() {
        established.increment();
    }

    void onRefused() {
        refused.increment();
    }

    void onRejected() {
        rejected.increment();
    }

    void onEnded(ConnectionEnd.Cause cause) {
        switch (cause) {
            case ORDERLY -> orderly.increment();
            case LOCAL_ERROR -> localErrors.increment();
            case REMOTE_ERROR -> remoteErrors.increment();
            case LOST -> lost.increment();
        }
    }

    DeviceStatistics snapshot() {
        return new Snapshot(established.sum(), refused.sum(), rejected.sum(), orderly.sum(), localErrors.sum(), remoteErrors.sum(),
                lost.sum());
    }

    record Snapshot(long connectionsEstablished, long requestsRefused, long requestsRejected, long endedOrderly, long endedByLocalError,
            long endedByRemoteError, long endedByLoss) implements DeviceStatistics {
    }
}

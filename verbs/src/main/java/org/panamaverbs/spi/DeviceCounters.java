package org.panamaverbs.spi;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.statistics.DeviceStatistics;

/** Counts how the connections of a device begin and end. Any thread may call any method; none is called while data moves. */
public final class DeviceCounters {
    private static final int ESTABLISHED = 0;
    private static final int REFUSED = 1;
    private static final int REJECTED = 2;
    private static final int ENDED = 3;

    private final boolean seesLoss;
    /** Those that ended stand at {@link #ENDED} and after it, by the ordinal of the cause. */
    private final AtomicLongArray counts = new AtomicLongArray(ENDED + ConnectionEnd.Cause.values().length);

    /**
     * Makes it with nothing counted.
     *
     * @param seesLoss whether the provider can tell a connection that broke from an error of the peer: if not,
     *                 {@link ConnectionEnd.Cause#LOST} is reported as not counted
     */
    public DeviceCounters(boolean seesLoss) {
        this.seesLoss = seesLoss;
    }

    /** Both sides have agreed on a connection. */
    public void onEstablished() {
        counts.incrementAndGet(ESTABLISHED);
    }

    /** A listener refused a peer. */
    public void onRefused() {
        counts.incrementAndGet(REFUSED);
    }

    /** The program rejected a request. */
    public void onRejected() {
        counts.incrementAndGet(REJECTED);
    }

    /**
     * A connection that was established has ended.
     *
     * @param cause why
     */
    public void onEnded(ConnectionEnd.Cause cause) {
        counts.incrementAndGet(ENDED + cause.ordinal());
    }

    /** {@return the counts; as of now} */
    public DeviceStatistics snapshot() {
        return new Snapshot(count(ESTABLISHED), count(REFUSED), count(REJECTED), ended(ConnectionEnd.Cause.ORDERLY),
                ended(ConnectionEnd.Cause.LOCAL_ERROR), ended(ConnectionEnd.Cause.REMOTE_ERROR),
                seesLoss ? ended(ConnectionEnd.Cause.LOST) : OptionalLong.empty());
    }

    private OptionalLong ended(ConnectionEnd.Cause cause) {
        return count(ENDED + cause.ordinal());
    }

    private OptionalLong count(int index) {
        return OptionalLong.of(counts.get(index));
    }

    private record Snapshot(OptionalLong connectionsEstablished, OptionalLong requestsRefused, OptionalLong requestsRejected,
            OptionalLong endedOrderly, OptionalLong endedByLocalError, OptionalLong endedByRemoteError,
            OptionalLong endedByLoss) implements DeviceStatistics {
        @Override
        public String toString() {
            return describe();
        }
    }
}

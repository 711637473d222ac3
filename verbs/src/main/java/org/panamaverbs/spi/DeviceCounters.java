package org.panamaverbs.spi;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.DistinctError;

/**
 * Counts how the connections of a device begin and end, knows those that have not ended, keeps the errors that ended connections, and
 * records beginnings and ends for the Flight Recorder. Any thread may call any method; none is
 * called while data moves.
 */
public final class DeviceCounters {
    private static final int ESTABLISHED = 0;
    private static final int REFUSED = 1;
    private static final int REJECTED = 2;
    private static final int ENDED = 3;

    private final boolean seesLoss;
    private final ErrorLog errors = new ErrorLog();
    /** Connections that have not ended, each with the time of its beginning. */
    private final Map<Connection, Long> open = new ConcurrentHashMap<>();
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

    /**
     * Both sides have agreed on a connection.
     *
     * @param connection the connection; it has not ended yet
     * @param initiator  whether this side asked for it
     * @param crc        whether frames have CRCs that the provider makes itself
     */
    public void onEstablished(Connection connection, boolean initiator, boolean crc) {
        counts.incrementAndGet(ESTABLISHED);
        open.put(connection, System.nanoTime());
        FlightEvents.onEstablished(connection, initiator, crc);
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
     * A connection that was established has ended; the first call counts.
     *
     * @param connection as it was established
     * @param end        how it ended
     */
    public void onEnded(Connection connection, ConnectionEnd end) {
        Long begin = open.remove(connection);
        if (begin != null) {
            end.failure().ifPresent(failure -> errors.add(failure.getMessage(), Instant.now()));
            counts.incrementAndGet(ENDED + end.cause().ordinal());
            FlightEvents.onEnded(connection, end, System.nanoTime() - begin);
        }
    }

    /** {@return the connections that have not ended, the oldest first; as of now} */
    public List<ConnectionStatistics> connections() {
        long nanos = System.nanoTime();
        Instant instant = Instant.now();
        return open.entrySet().stream().sorted(Comparator.comparingLong(each -> each.getValue() - nanos)).map(each -> {
            Connection connection = each.getKey();
            return new ConnectionStatistics(connection.localAddress(), connection.remoteAddress(), connection.path(),
                    connection.queuePair().number(), instant.minusNanos(nanos - each.getValue()), connection.queuePair().statistics());
        }).toList();
    }

    /** {@return the counts; as of now} */
    public DeviceStatistics snapshot() {
        return new Snapshot(count(ESTABLISHED), count(REFUSED), count(REJECTED), ended(ConnectionEnd.Cause.ORDERLY),
                ended(ConnectionEnd.Cause.LOCAL_ERROR), ended(ConnectionEnd.Cause.REMOTE_ERROR),
                seesLoss ? ended(ConnectionEnd.Cause.LOST) : OptionalLong.empty(), errors.list());
    }

    private OptionalLong ended(ConnectionEnd.Cause cause) {
        return count(ENDED + cause.ordinal());
    }

    private OptionalLong count(int index) {
        return OptionalLong.of(counts.get(index));
    }

    private record Snapshot(OptionalLong connectionsEstablished, OptionalLong requestsRefused, OptionalLong requestsRejected,
            OptionalLong endedOrderly, OptionalLong endedByLocalError, OptionalLong endedByRemoteError, OptionalLong endedByLoss,
            List<DistinctError> errors) implements DeviceStatistics {
        @Override
        public String toString() {
            return describe();
        }
    }
}

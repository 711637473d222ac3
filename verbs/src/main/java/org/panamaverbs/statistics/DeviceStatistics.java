package org.panamaverbs.statistics;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.panamaverbs.Incubating;

/** How the connections of a device have begun and ended since it was opened. An empty count is one that the provider does not have. */
@Incubating("which counts there are: providers still gain some")
public interface DeviceStatistics {
    /** {@return the number of connections on which both sides agreed, of both roles} */
    default OptionalLong connectionsEstablished() {
        return OptionalLong.empty();
    }

    /** {@return the number of peers that a listener refused: their request was wrong or too slow, a limit was reached, or memory ran out} */
    default OptionalLong requestsRefused() {
        return OptionalLong.empty();
    }

    /** {@return the number of requests that a program rejected} */
    default OptionalLong requestsRejected() {
        return OptionalLong.empty();
    }

    /** {@return the number of connections that ended in good order} */
    default OptionalLong endedOrderly() {
        return OptionalLong.empty();
    }

    /** {@return the number of connections that ended because of an error that this side found} */
    default OptionalLong endedByLocalError() {
        return OptionalLong.empty();
    }

    /** {@return the number of connections that ended because of an error that the peer reported, or caused} */
    default OptionalLong endedByRemoteError() {
        return OptionalLong.empty();
    }

    /**
     * The number of connections that broke. On InfiniBand and RoCE these are the connections whose peer did not answer a request after all
     * retries: a peer that vanished while nothing was sent counts only if keep-alive is on.
     *
     * @return empty if the provider cannot tell that from an error of the peer, as on iWARP devices
     */
    default OptionalLong endedByLoss() {
        return OptionalLong.empty();
    }

    /**
     * The errors that ended connections. Messages that differ in the number of a port alone are one error with a count.
     *
     * @return the last first; at most 64 and one for all further ones
     */
    default List<DistinctError> errors() {
        return List.of();
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
        return new CountText().add("connections established", connectionsEstablished()).add("requests refused", requestsRefused())
                .add("requests rejected", requestsRejected()).add("ended orderly", endedOrderly())
                .add("ended by a local error", endedByLocalError()).add("ended by a remote error", endedByRemoteError())
                .add("ended by loss", endedByLoss());
    }
}

package org.panamaverbs.statistics;

import java.util.OptionalLong;

/** How the connections of a device have begun and ended since it was opened. An empty count is one that the provider does not have. */
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

    /** {@return the number of connections that broke; empty if the provider cannot tell that from an error of the peer} */
    default OptionalLong endedByLoss() {
        return OptionalLong.empty();
    }

    /** {@return all counts with their names, on one line, and the names of those that the provider does not have} */
    default String describe() {
        return new CountText().add("connections established", connectionsEstablished()).add("requests refused", requestsRefused())
                .add("requests rejected", requestsRejected()).add("ended orderly", endedOrderly())
                .add("ended by a local error", endedByLocalError()).add("ended by a remote error", endedByRemoteError())
                .add("ended by loss", endedByLoss()).toString();
    }
}

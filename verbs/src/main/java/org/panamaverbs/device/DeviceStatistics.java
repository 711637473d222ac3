package org.panamaverbs.device;

/**
 * Counts of the connections of a device since it was opened; all counts only grow. {@link org.panamaverbs.QueuePair#statistics()} counts the traffic of a
 * queue pair.
 */
public interface DeviceStatistics {
    /** {@return the number of connections on which both sides agreed, of both roles} */
    default long connectionsEstablished() {
        return 0;
    }

    /** {@return the number of peers that the listener refused: their request was wrong or too slow, a limit was reached, or memory had run out} */
    default long requestsRefused() {
        return 0;
    }

    /** {@return the number of requests that a program rejected} */
    default long requestsRejected() {
        return 0;
    }

    /** {@return the number of connections that ended in good order} */
    default long endedOrderly() {
        return 0;
    }

    /** {@return the number of connections that ended because of an error that this side found} */
    default long endedByLocalError() {
        return 0;
    }

    /** {@return the number of connections that ended because of an error that the peer reported} */
    default long endedByRemoteError() {
        return 0;
    }

    /** {@return the number of connections that broke} */
    default long endedByLoss() {
        return 0;
    }
}

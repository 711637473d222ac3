package org.panamaverbs.device;

/**
 * Counts of the connections of a device since it was opened; all counts only grow. {@link org.panamaverbs.QueuePair#statistics()} counts the traffic of a
 * queue pair.
 *
 * @param connectionsEstablished connections on which both sides agreed, of both roles
 * @param requestsRefused        peers that the listener refused: their request was wrong or too slow, a limit or the backlog was reached, or
 *                               memory had run out
 * @param requestsRejected       requests that a program rejected
 * @param endedOrderly           connections that ended in good order
 * @param endedByLocalError      connections that ended because of an error that this side found
 * @param endedByRemoteError     connections that ended because of an error that the peer reported
 * @param endedByLoss            connections that broke
 */
public record DeviceStatistics(long connectionsEstablished, long requestsRefused, long requestsRejected, long endedOrderly,
        long endedByLocalError, long endedByRemoteError, long endedByLoss) {
}

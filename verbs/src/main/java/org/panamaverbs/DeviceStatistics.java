package org.panamaverbs;

/**
 * What the connections of a device have been through since it was opened; all counts only grow. The traffic itself is counted for each queue
 * pair ({@link QueuePair#statistics()}).
 *
 * @param connectionsEstablished connections on which both sides agreed, of both roles
 * @param requestsRefused        peers that got no further than the listener: their request was wrong, too slow, or beyond the backlog
 * @param requestsRejected       requests that a program rejected
 * @param endedOrderly           connections that ended in good order
 * @param endedByLocalError      connections that ended because of an error that this side found
 * @param endedByRemoteError     connections that ended because of an error that the peer reported
 * @param endedByLoss            connections that broke
 */
public record DeviceStatistics(long connectionsEstablished, long requestsRefused, long requestsRejected, long endedOrderly,
        long endedByLocalError, long endedByRemoteError, long endedByLoss) {
}

package org.panamaverbs.statistics;

import java.net.InetSocketAddress;
import java.time.Instant;

/**
 * A connection that has not ended, as of a moment.
 *
 * @param local     this end, with the real port
 * @param remote    the other end, with the real port
 * @param path      {@code Connection.path}: the medium that the bytes take, in words for people
 * @param queuePair the number of its queue pair on the device
 * @param since     when it was established
 * @param counts    the counts of its queue pair
 */
public record ConnectionStatistics(InetSocketAddress local, InetSocketAddress remote, String path, int queuePair, Instant since,
        QueuePairStatistics counts) {
}

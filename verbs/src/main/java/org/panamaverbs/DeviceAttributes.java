package org.panamaverbs;

/**
 * What a device is, and its limits.
 *
 * @param transport                       "iWARP", "InfiniBand" or "RoCE"
 * @param active                          whether a port is up
 * @param vendor                          who made it and what it is, one line
 * @param firmware                        its version
 * @param identity                        which device it is, of all in the world
 * @param maximumQueuePairs               how many queue pairs there can be
 * @param maximumWorkRequests             the deepest send or receive queue
 * @param maximumScatterGather            the most elements of a list
 * @param maximumInline                   the most bytes of a request posted with {@link QueuePair#INLINE}
 * @param maximumCompletionQueueEntries   the largest completion queue
 * @param maximumRegions                  how many memory regions there can be
 * @param maximumRegionSize               the largest region, in bytes
 * @param maximumMessageSize              the longest message, in bytes
 * @param maximumInboundReads             the greatest IRD: Reads of one peer served at a time
 * @param maximumOutboundReads            the greatest ORD: Reads of ours outstanding at a time
 * @param maximumPrivateData              the most private data of a connection request, in bytes
 * @param completionVectors               the number of completion vectors, 1 or more; {@link CompletionQueueAttributes#withVector} picks one
 * @param objects                         how many objects of the other kinds there can be
 */
public record DeviceAttributes(String transport, boolean active, String vendor, String firmware, DeviceIdentity identity,
        int maximumQueuePairs, int maximumWorkRequests, int maximumScatterGather, int maximumInline, int maximumCompletionQueueEntries,
        int maximumRegions,
        long maximumRegionSize, long maximumMessageSize, int maximumInboundReads, int maximumOutboundReads, int maximumPrivateData,
        int completionVectors, ObjectLimits objects) {
    /**
     * The same with a port up, or with none.
     *
     * @param now whether a port is up
     * @return the attributes
     */
    public DeviceAttributes withActive(boolean now) {
        return new DeviceAttributes(transport, now, vendor, firmware, identity, maximumQueuePairs, maximumWorkRequests,
                maximumScatterGather, maximumInline, maximumCompletionQueueEntries, maximumRegions, maximumRegionSize, maximumMessageSize,
                maximumInboundReads, maximumOutboundReads, maximumPrivateData, completionVectors, objects);
    }
}

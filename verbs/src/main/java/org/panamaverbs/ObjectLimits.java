package org.panamaverbs;

/**
 * How many objects of each kind a device can have; 0 where it has none.
 *
 * @param completionQueues        completion queues
 * @param protectionDomains       protection domains
 * @param sharedReceiveQueues     shared receive queues
 * @param sharedReceives          the deepest shared receive queue
 * @param sharedReceiveElements   the most elements of a list to receive into, in a shared receive queue
 * @param memoryWindows           memory windows
 * @param addressHandles          address handles
 */
public record ObjectLimits(int completionQueues, int protectionDomains, int sharedReceiveQueues, int sharedReceives,
        int sharedReceiveElements, int memoryWindows, int addressHandles) {
}

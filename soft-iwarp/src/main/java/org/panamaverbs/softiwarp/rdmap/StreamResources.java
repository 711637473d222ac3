package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;

/**
 * What both halves of a stream work on.
 *
 * @param table         all registered memory of the device
 * @param domain        what memory must share with the stream to be used by it
 * @param sendQueue     our requests
 * @param receives      our receives
 * @param inboundReads  the peer's Reads to answer; as deep as the IRD
 * @param outboundReads our Reads under way; as deep as the ORD
 */
public record StreamResources(StagTable table, Object domain, SendQueue sendQueue, Receives receives, InboundReads inboundReads,
        OutboundReads outboundReads) {
}

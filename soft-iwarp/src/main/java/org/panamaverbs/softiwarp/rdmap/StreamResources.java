package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.softiwarp.memory.Fault;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;

/**
 * The queues and tables that both halves of a stream use.
 *
 * @param table         all registered memory of the device
 * @param domain        the protection domain of the stream and of all memory that it may use
 * @param queuePair     the queue pair of the stream; memory has it as scope or owner if its peer alone may use or invalidate the memory
 * @param sendQueue     our requests
 * @param receives      our receives
 * @param inboundReads  the peer's Reads that wait for an answer; its depth is the IRD
 * @param outboundReads our Reads in flight; its depth is the ORD
 */
public record StreamResources(StagTable<RegisteredMemory> table, Object domain, Object queuePair, SendQueue sendQueue, Receives receives,
        InboundReads inboundReads, OutboundReads outboundReads) {
    /**
     * Checks an access of the peer to memory that the table has found.
     *
     * @param stag   the STag that found the memory
     * @param rights the access rights needed
     * @param tagged the Tagged Offset, unsigned
     * @param size   bytes, 0 or more
     */
    Fault check(RegisteredMemory memory, int stag, int rights, long tagged, long size) {
        return memory.check(domain, queuePair, stag, rights, tagged, size);
    }
}

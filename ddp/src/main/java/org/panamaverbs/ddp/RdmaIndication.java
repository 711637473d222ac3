package org.panamaverbs.ddp;

import org.panamaverbs.MemoryRegion;

/**
 * An indication of {@link RdmaSocket#receive} ({@code rdma_ind_t} of RFC 4296, 2.2.1).
 *
 * @param kind    a Send, or an RDMA Write whose sender asked for a notification
 * @param region  the region of the receive that the indication took; it is not posted any more
 * @param offset  where in the region the receive begins
 * @param length  bytes of the Send; for a Write, how many bytes it placed elsewhere
 * @param writeId the identifier that the writer gave; 0 for a Send
 */
public record RdmaIndication(Kind kind, MemoryRegion region, long offset, long length, int writeId) {
    /** The kinds of indications. An error of the connection is an exception of {@link RdmaSocket#receive}. */
    public enum Kind {
        /** A Send is in the region. */
        MESSAGE,
        /** An RDMA Write is placed. */
        WRITE
    }
}

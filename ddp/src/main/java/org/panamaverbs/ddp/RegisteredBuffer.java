package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A registration of a buffer on a socket or a group ({@code bdesc_t} of RFC 4296, 2.1.2). Closing it is {@code ddp_deregister}. */
public interface RegisteredBuffer extends AutoCloseable {
    /**
     * The address of the first byte, for peers.
     *
     * @return never changes
     */
    BufferAddress address();

    /**
     * How many bytes the buffer has.
     *
     * @return 1 or more
     */
    long size();

    /**
     * The memory.
     *
     * @return empty if the buffer is a {@link DdpBuffer}
     */
    Optional<MemorySegment> segment();

    /**
     * Ends the registration. When this returns, no byte of the buffer changes any more. Its STag is not chosen again for the time of the
     * setting {@code panamaverbs.softiwarp.ddp.stag-quarantine}, since messages for it may still be on their way (draft-bailey-roi-ddpp-core-00,
     * 3.4).
     *
     * <p>A receive that is posted with the buffer stays posted; a message that takes it ends a stream, and over datagrams is dropped.
     */
    @Override
    void close();
}

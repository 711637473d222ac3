package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;

/**
 * A group of sockets that share STags and posted receives. A buffer that is registered on a group is valid on all of its sockets; a buffer
 * that is registered on a socket is valid on that socket alone. A program that trusts its peers differently gives each its own group.
 */
public interface DdpGroup extends AutoCloseable {
    /**
     * Registers memory or a mapped file on all sockets of the group.
     *
     * @param memory     native, and usable by any thread
     * @param attributes the STag and the first offset
     * @return to be closed
     */
    RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes);

    /**
     * As {@link #register(MemorySegment, BufferAttributes)}, with a listener for placements.
     *
     * @param memory     native, and usable by any thread
     * @param attributes the STag and the first offset
     * @param listener   is told of each placement of a tagged message
     * @return to be closed
     */
    RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener);

    /**
     * Registers a buffer of the program's own kind on all sockets of the group, for tagged messages.
     *
     * @param buffer     its bytes are set by the threads of the sockets: several calls at a time, if the context has several threads
     * @param attributes the STag and the first offset
     * @return to be closed
     */
    RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes);

    /**
     * Posts a part of a buffer for one untagged message on any socket of the group. The first message that finds no receive of its own
     * socket takes it. If a stream ends in the middle of that message, the receive is posted again when the socket is closed.
     *
     * @param buffer memory that is registered on this group
     * @param offset the offset in the buffer
     * @param length bytes, 0 or more
     * @return {@code false} if 65,536 receives are posted on the group
     */
    boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length);

    /** Closes the group's sockets and listeners, and ends the registrations on it. */
    @Override
    void close();
}

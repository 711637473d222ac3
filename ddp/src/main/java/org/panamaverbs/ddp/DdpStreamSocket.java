package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;

/**
 * A stream of RFC 5041 without RDMAP: a {@link DdpSocket} that also gives the program the fields that both headers have for the layer
 * above (RsvdULP and the queue number).
 *
 * <p>Over RFC 5041 the peer's DDP delivers every tagged message. {@link DdpSocket#NOTIFY} sets the upper bit of the tagged header's octet,
 * and the lower seven bits carry the message identifier. The receiver indicates a tagged message if that bit is set, or all of them if
 * {@link DdpOptions#everyTagged()} is set.
 */
public interface DdpStreamSocket extends DdpSocket {
    /**
     * Sends an untagged message with the program's fields in its header.
     *
     * @param message native memory
     * @param offset  the offset of the first byte
     * @param length  bytes, 0 to 2^32 - 1
     * @param queue   the queue number, less than the peer's number of queues
     * @param octet   0 to 255
     * @param word    any 32 bits
     */
    void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word);

    /**
     * Sends a tagged message with the program's octet in its header.
     *
     * @param message      native memory
     * @param offset       the offset of the first byte
     * @param length       bytes, 0 to 2^32 - 1
     * @param stag         the STag of the peer's buffer
     * @param taggedOffset the offset in that buffer, unsigned
     * @param octet        0 to 255
     */
    void sendTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, int octet);

    /**
     * As {@link DdpSocket#tryPostReceive}, for a queue.
     *
     * @param buffer memory that is registered on this socket or its group
     * @param offset the offset in the buffer
     * @param length bytes, 0 or more
     * @param queue  0 to {@link DdpOptions#queues()} - 1
     * @return {@code false} if as many receives are posted as the options allow
     */
    boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length, int queue);

    /**
     * The private data that the peer sent when the stream was established.
     *
     * @return a copy; at most 512 bytes, empty if there was none
     */
    byte[] peerPrivateData();
}

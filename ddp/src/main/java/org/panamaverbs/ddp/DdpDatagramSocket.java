package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** A socket over datagrams: it receives from any sender, and sends to any destination. */
public interface DdpDatagramSocket extends DdpSocket {
    /**
     * As {@link DdpSocket#send}, to a destination of the caller's choice.
     *
     * @param to      a resolved address
     * @param message native memory
     * @param offset  the offset of the first byte
     * @param length  bytes, 0 to {@link MessageSizes#untagged()}
     */
    void send(InetSocketAddress to, MemorySegment message, long offset, long length);

    /**
     * As {@link DdpSocket#sendDdp}, to a destination of the caller's choice.
     *
     * @param to           a resolved address
     * @param message      native memory
     * @param offset       the offset of the first byte
     * @param length       bytes; 0 only with {@link DdpSocket#NOTIFY}
     * @param stag         the STag of the receivers' buffer
     * @param taggedOffset the offset in that buffer, unsigned
     * @param flags        the sum of {@link DdpSocket#NOTIFY} and {@link DdpSocket#ATOMIC}, or 0
     * @param messageId    31 bits; ignored without {@link DdpSocket#NOTIFY}
     */
    void sendDdp(InetSocketAddress to, MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags,
            int messageId);
}

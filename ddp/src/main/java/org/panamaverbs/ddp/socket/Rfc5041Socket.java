package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpStreamSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.socket.protocol.Rfc5041Protocol;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;

/** A socket of RFC 5041, over MPA or SCTP. */
final class Rfc5041Socket extends StreamSocket implements DdpStreamSocket {
    private final byte[] peerPrivateData;

    /** Makes the socket of an established stream; {@link #attach} starts it. Only the leader calls it. */
    Rfc5041Socket(SoftDdpGroup group, DdpTransport transport, DdpOptions options, EventLoop loop, Channel channel, byte[] peerPrivateData,
            StreamFactory factory, Arena memory) {
        super(group, transport, options, loop, channel, factory, memory);
        this.peerPrivateData = peerPrivateData;
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        Objects.checkIndex(queue, Rfc5041Protocol.MOST_QUEUES);
        checkOctet(octet);
        super.sendUntagged(message, offset, length, queue, octet, word);
    }

    @Override
    public void sendTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, int octet) {
        checkOctet(octet);
        sendTagged(message, offset, length, stag, taggedOffset, false, 0, octet);
    }

    private static void checkOctet(int octet) {
        if (octet < 0 || octet > 0xFF) {
            throw new IllegalArgumentException("the octet is 0 to 255, not " + octet);
        }
    }
}

package org.panamaverbs.softiwarp.socket;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpStreamSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.softiwarp.cm.Established;

/** A socket of RFC 5041 over MPA. */
final class MpaSocket extends StreamSocket implements DdpStreamSocket {
    private final byte[] peerPrivateData;

    /** Makes the socket of an established stream. Only the leader calls it. */
    MpaSocket(SoftDdpGroup group, DdpOptions options, Established established, StreamFactory factory) {
        super(group, DdpTransport.MPA, options, established.loop(), established.channel(), factory);
        this.peerPrivateData = established.agreement().privateData();
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        Objects.checkIndex(queue, MpaProtocol.MOST_QUEUES);
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

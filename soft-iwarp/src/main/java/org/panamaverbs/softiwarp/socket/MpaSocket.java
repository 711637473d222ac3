package org.panamaverbs.softiwarp.socket;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpStreamSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.softiwarp.client.Client;
import org.panamaverbs.softiwarp.cm.Established;

/** A socket of RFC 5041 over MPA. */
final class MpaSocket extends StreamSocket implements DdpStreamSocket {
    private static final int MOST_MESSAGE_ID = Client.NOTIFY_BIT - 1;
    private static final long LONGEST_UNTAGGED = 0xFFFF_FFFFL;

    private final byte[] peerPrivateData;

    /** Makes the socket of an established stream. Only the leader calls it. */
    MpaSocket(SoftDdpGroup group, DdpOptions options, Established established, StreamFactory factory) {
        super(group, DdpTransport.MPA, options, established.loop(), established.channel(), factory);
        this.peerPrivateData = established.agreement().privateData();
        attach();
        established.handler().to(this);
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        if (length > LONGEST_UNTAGGED) {
            throw new IllegalArgumentException("an untagged message has at most " + LONGEST_UNTAGGED + " bytes, not " + length);
        }
        Objects.checkIndex(queue, MpaProtocol.MOST_QUEUES);
        checkOctet(octet);
        super.sendUntagged(message, offset, length, queue, octet, word);
    }

    @Override
    public void sendTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, int octet) {
        checkOctet(octet);
        sendTagged(message, offset, length, stag, taggedOffset, false, 0, octet);
    }

    @Override
    public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
        if ((flags & NOTIFY) == 0) {
            super.sendDdp(message, offset, length, stag, taggedOffset, flags, 0);
            return;
        }
        if (messageId < 0 || messageId > MOST_MESSAGE_ID) {
            throw new IllegalArgumentException("a message identifier over RFC 5041 is 0 to " + MOST_MESSAGE_ID + ", not " + messageId);
        }
        super.sendDdp(message, offset, length, stag, taggedOffset, flags, messageId);
    }

    private static void checkOctet(int octet) {
        if (octet < 0 || octet > 0xFF) {
            throw new IllegalArgumentException("the octet is 0 to 255, not " + octet);
        }
    }
}

package example.loopback;

import java.net.InetSocketAddress;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.spi.AbstractConnection;

/** One end of a connection. */
final class LoopbackConnection extends AbstractConnection {
    private final LoopbackQueuePair queuePair;

    LoopbackConnection(LoopbackQueuePair queuePair, InetSocketAddress local, InetSocketAddress remote, byte[] privateData,
            int inboundReads, int outboundReads) {
        super(queuePair, local, remote, privateData, inboundReads, outboundReads);
        this.queuePair = queuePair;
    }

    /** Called by the queue pair. */
    void hasEnded(ConnectionEnd how) {
        end(how);
    }

    @Override
    public void disconnect() {
        queuePair.disconnect(ConnectionEnd.orderly(), ConnectionEnd.orderly());
    }
}

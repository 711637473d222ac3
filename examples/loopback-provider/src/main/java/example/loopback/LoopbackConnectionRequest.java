package example.loopback;

import org.panamaverbs.cm.Route;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import org.panamaverbs.Device;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.spi.support.Waits;

/** The side that is asked. */
final class LoopbackConnectionRequest extends Half implements ConnectionRequest {
    private final LoopbackListener listener;
    private final LoopbackConnector connector;
    private final ConnectionParameters asked;
    private final InetSocketAddress remote;
    private boolean answered;
    private boolean peerGone;

    LoopbackConnectionRequest(LoopbackListener listener, LoopbackConnector connector, ConnectionParameters asked,
            InetSocketAddress remote) {
        super("the connection request of " + Route.text(remote), listener.device);
        this.listener = listener;
        this.connector = connector;
        this.asked = asked;
        this.remote = remote;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public InetSocketAddress localAddress() {
        return connector.remoteAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return asked.privateData();
    }

    @Override
    public int remoteInboundReads() {
        return asked.inboundReads();
    }

    @Override
    public int remoteOutboundReads() {
        return asked.outboundReads();
    }

    @Override
    public Connection accept(ConnectionParameters wanted, Duration timeout) {
        ConnectionParameters parameters = wanted.fitting(device);
        Waits.nanos(timeout);
        try (var _ = Fabric.enter()) {
            checkUnanswered();
            children.check();
            checkQueuePair();
            answered = true;
            if (peerGone) {
                close();
                throw new PeerException(this + ": the peer went away");
            }
            connect(parameters);
            return connection;
        }
    }

    /** Neither side has more Reads outstanding than the other serves. */
    private void connect(ConnectionParameters parameters) {
        connection = new LoopbackConnection(queuePair, localAddress(), remote, privateData(), parameters.inboundReads(),
                Math.min(parameters.outboundReads(), asked.inboundReads()));
        LoopbackConnection theirs = new LoopbackConnection(connector.queuePair, remote, localAddress(), parameters.privateData(),
                asked.inboundReads(), Math.min(asked.outboundReads(), parameters.inboundReads()));
        queuePair.connect(connection, connector.queuePair);
        connector.queuePair.connect(theirs, queuePair);
        connector.connected(theirs);
    }

    @Override
    public void reject(ConnectionParameters wanted) {
        ConnectionParameters parameters = wanted.fitting(device);
        try (var _ = Fabric.enter()) {
            checkUnanswered();
            answered = true;
            connector.refuse(new RejectedException("the program at " + Route.text(localAddress()) + " rejected the connection",
                    parameters.privateData(), OptionalInt.of(parameters.inboundReads()), OptionalInt.of(parameters.outboundReads())));
            close();
        }
    }

    private void checkUnanswered() {
        if (answered) {
            throw new IllegalStateException(this + " was accepted or rejected before");
        }
    }

    void peerGaveUp() {
        peerGone = true;
        listener.withdraw(this);
    }

    @Override
    void givenUp() {
        listener.withdraw(this);
        connector.refuse(new PeerException("the program at " + Route.text(localAddress()) + " dropped the connection request"));
    }

    @Override
    public String toString() {
        return "the connection request of " + Route.text(remote);
    }
}

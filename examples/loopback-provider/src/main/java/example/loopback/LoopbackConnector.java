package example.loopback;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Waits;

/** The side that connects. */
final class LoopbackConnector extends Half implements Connector {
    private final InetSocketAddress remote;
    private final Optional<InetSocketAddress> local;
    private final Condition changed = Fabric.newCondition();
    private LoopbackConnectionRequest request;
    private boolean started;
    /** Why there will be no connection, or {@code null}. */
    private VerbsException refusal;

    LoopbackConnector(LoopbackDevice device, Route route) {
        super("the connector to " + route.describe(), device);
        this.remote = route.remote();
        this.local = route.local();
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public Connection connect(ConnectionParameters wanted, Duration timeout) {
        ConnectionParameters parameters = wanted.fitting(device);
        long left = Waits.nanos(timeout);
        try (var _ = Fabric.enter()) {
            if (started) {
                throw new IllegalStateException(this + " connects only once");
            }
            children.check();
            checkQueuePair();
            started = true;
            try {
                ask(parameters);
                while (connection == null && refusal == null && left > 0) {
                    left = Waits.await(changed, left);
                }
                if (refusal != null) {
                    throw Waits.failed(refusal);
                }
                if (connection == null) {
                    throw Waits.timedOut("no answer came from " + Route.text(remote), timeout);
                }
                return connection;
            } finally {
                if (connection == null) {
                    close();
                }
            }
        }
    }

    private void ask(ConnectionParameters parameters) {
        LoopbackListener listener = Fabric.listenerAt(remote).orElseThrow(() -> Waits.refused(remote, null));
        request = new LoopbackConnectionRequest(listener, this, parameters, source());
        if (!listener.offer(request)) {
            throw Waits.refused(remote, null);
        }
    }

    /** An address has many ports, and each port may be the source of many connections. */
    private InetSocketAddress source() {
        if (local.isPresent() && local.get().getPort() != 0) {
            return local.get();
        }
        return new InetSocketAddress(local.orElse(remote).getAddress(), Fabric.freePort());
    }

    void refuse(VerbsException why) {
        if (refusal == null) {
            refusal = why;
            changed.signalAll();
        }
    }

    /** The peer accepted. */
    void connected(LoopbackConnection connection) {
        this.connection = connection;
        changed.signalAll();
    }

    @Override
    void givenUp() {
        refuse(new ClosedException(this + " was closed"));
        if (request != null) {
            request.peerGaveUp();
        }
    }

    @Override
    public String toString() {
        return "the connector to " + Route.text(remote);
    }
}

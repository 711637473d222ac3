package example.loopback;

import org.panamaverbs.cm.Route;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Waits;

/** An entry of the table of listeners, with the requests that the program has not taken. */
final class LoopbackListener implements Listener {
    private final InetSocketAddress address;
    private final int backlog;
    private final Queue<LoopbackConnectionRequest> waiting = new ArrayDeque<>();
    private final Condition changed = Fabric.newCondition();
    private final Children children;
    final LoopbackDevice device;

    LoopbackListener(LoopbackDevice device, InetSocketAddress address, int backlog) {
        this.device = device;
        this.address = address;
        this.backlog = backlog;
        this.children = new Children("the listener on " + Route.text(address));
        device.children.add(this);
        Fabric.add(this);
    }

    /** Whether requests to an address come here. */
    boolean takes(InetSocketAddress wanted) {
        return wanted.getPort() == address.getPort()
                && (address.getAddress().isAnyLocalAddress() || address.getAddress().equals(wanted.getAddress()));
    }

    /** Adds a request, unless the backlog is full. */
    boolean offer(LoopbackConnectionRequest request) {
        if (waiting.size() >= backlog) {
            return false;
        }
        waiting.add(request);
        changed.signal();
        return true;
    }

    void withdraw(LoopbackConnectionRequest request) {
        waiting.remove(request);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public ConnectionRequest awaitRequest(Duration timeout) {
        long left = Waits.nanos(timeout);
        try (var _ = Fabric.enter()) {
            children.check();
            while (waiting.isEmpty() && left > 0) {
                left = Waits.await(changed, left);
                children.check();
            }
            if (waiting.isEmpty()) {
                throw Waits.timedOut("no peer asked for a connection to " + Route.text(address), timeout);
            }
            return waiting.remove();
        }
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                device.children.remove(this);
                Fabric.remove(this);
                List.copyOf(waiting).forEach(LoopbackConnectionRequest::close);
                changed.signalAll();
            }
        }
    }
}

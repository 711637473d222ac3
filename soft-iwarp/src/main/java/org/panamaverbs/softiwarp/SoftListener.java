package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.AcceptQueue;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener: keeps connection requests until the program takes them. */
final class SoftListener implements Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SoftListener.class);

    private final SoftDevice device;
    private final int backlog;
    private final ListeningPort<Channel> port;
    private final Complaints complaints = new Complaints(LOG);
    private final AcceptQueue<PassiveOpen<SoftConnection>> queue;

    SoftListener(SoftDevice device, InetSocketAddress local, int backlog, int typeOfService) {
        this.device = device;
        this.backlog = backlog;
        this.queue = new AcceptQueue<>("connection request", backlog);
        long timeout = TimeUnit.MILLISECONDS.toNanos(device.settings().requestTimeoutMillis());
        this.port = ListeningPort.open(device.nextLoop(), local, backlog, typeOfService, timeout, device.settings().limits(),
                this::onRequest,
                device.counters()::onRefused);
    }

    private void onRequest(PassiveOpen<SoftConnection> open) {
        if (!queue.add(open)) {
            device.counters().onRefused();
            complaints.warn("refused {}: {}", Route.text(open.remoteAddress()),
                    queue.isClosed() ? "the listener is closed"
                            : "the program does not take the requests that wait, " + backlog
                                    + " at most: accept requests sooner, or listen with a longer backlog");
            open.abort();
        }
    }

    @Override
    public InetSocketAddress address() {
        return port.address();
    }

    @Override
    public ConnectionRequest awaitRequest(Duration timeout) {
        PassiveOpen<SoftConnection> open = queue.take(address(), timeout);
        SoftConnectionRequest request = new SoftConnectionRequest(device, open);
        device.children().add(request);
        return request;
    }

    @Override
    public void close() {
        queue.close().ifPresent(dropped -> {
            port.close();
            dropped.forEach(PassiveOpen::abort);
            device.children().remove(this);
        });
    }
}

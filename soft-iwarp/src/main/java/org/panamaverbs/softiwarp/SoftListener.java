package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.cm.AcceptQueue;
import org.panamaverbs.softiwarp.cm.AdmissionLimits;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.transport.Channel;

/** A listener: keeps connection requests until the program takes them. */
final class SoftListener implements Listener {
    private final SoftDevice device;
    private final ListeningPort<Channel> port;
    private final AcceptQueue<PassiveOpen<SoftConnection>> queue;

    SoftListener(SoftDevice device, InetSocketAddress local, int backlog, int typeOfService) {
        this.device = device;
        AdmissionLimits limits = device.settings().limits();
        this.queue = new AcceptQueue<>("connection request", Math.min(backlog, limits.mostRequests()));
        long timeout = TimeUnit.MILLISECONDS.toNanos(device.settings().requestTimeoutMillis());
        this.port = ListeningPort.open(device.nextLoop(), local, queue, typeOfService, timeout, limits, this::onRequest,
                device.counters()::onRefused);
    }

    private void onRequest(PassiveOpen<SoftConnection> open) {
        if (!queue.add(open)) {
            // The listener closes at this moment.
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
        try {
            SoftConnectionRequest request = new SoftConnectionRequest(device, open);
            device.children().add(request);
            return request;
        } catch (RuntimeException | Error e) {
            // No thread has the peer any more, who would wait for an answer.
            open.abort();
            throw e;
        }
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

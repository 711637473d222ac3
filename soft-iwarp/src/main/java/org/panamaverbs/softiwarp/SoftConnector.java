package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.ActiveOpen;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;

/** A connector: the active side while a connection is being established. */
final class SoftConnector implements Connector {
    private final SoftDevice device;
    private final Route route;
    private final EventLoop loop;
    private SoftQueuePair queuePair;
    private PendingConnection pending;
    private boolean connected;
    private boolean closed;

    SoftConnector(SoftDevice device, Route route) {
        this.device = device;
        this.route = route;
        this.loop = device.nextLoop();
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return route.remote();
    }

    @Override
    public synchronized QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        checkOpen();
        if (queuePair != null) {
            throw new IllegalStateException("the connector has its queue pair already");
        }
        queuePair = SoftConnectionManager.createQueuePair(device, domain, attributes, loop);
        return queuePair;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the connector to " + route.remote() + " is closed");
        }
    }

    @Override
    public Connection connect(ConnectionParameters parameters, Duration timeout) {
        Terms terms = SoftConnectionManager.terms(device, parameters);
        PendingConnection attempt;
        synchronized (this) {
            checkOpen();
            if (queuePair == null) {
                throw new IllegalStateException("create the queue pair before connecting");
            }
            if (pending != null) {
                throw new IllegalStateException("the connector has already connected, or tried to");
            }
            attempt = new PendingConnection(queuePair, "connect to " + route.describe());
            pending = attempt;
            queuePair.connecting(attempt);
        }
        ActiveOpen open = null;
        try {
            open = Shortage.naming("a connection", () -> ActiveOpen.start(loop, route, terms, attempt::onEstablished, attempt::onFailed));
            Connection connection = attempt.await(timeout, open::waitsFor);
            connected = true;
            device.children().remove(this);
            return connection;
        } catch (RuntimeException | Error e) {
            if (open != null) {
                open.abort();
            }
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        SoftQueuePair unused;
        synchronized (this) {
            if (closed || connected) {
                return;
            }
            closed = true;
            unused = queuePair;
            if (pending != null) {
                pending.close();
            }
        }
        if (unused != null) {
            unused.close();
        }
        device.children().remove(this);
    }
}

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
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;

/** A connection request: the passive side while a connection is being established. */
final class SoftConnectionRequest implements ConnectionRequest {
    private final SoftDevice device;
    private final EventLoop loop;
    private final PassiveOpen open;
    private SoftQueuePair queuePair;
    private PendingConnection pending;
    /** Whether the request was accepted or rejected. */
    private boolean answered;
    private boolean connected;
    private boolean closed;

    SoftConnectionRequest(SoftDevice device, EventLoop loop, PassiveOpen open) {
        this.device = device;
        this.loop = loop;
        this.open = open;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public InetSocketAddress localAddress() {
        return open.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return open.remoteAddress();
    }

    @Override
    public byte[] privateData() {
        return open.privateData();
    }

    @Override
    public int remoteInboundReads() {
        return open.remoteIrd();
    }

    @Override
    public int remoteOutboundReads() {
        return open.remoteOrd();
    }

    @Override
    public synchronized QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        checkUnanswered();
        if (queuePair != null) {
            throw new IllegalStateException("the connection request has its queue pair already");
        }
        queuePair = SoftConnectionManager.createQueuePair(device, domain, attributes, loop);
        return queuePair;
    }

    private void checkUnanswered() {
        if (closed) {
            throw new ClosedException("the connection request of " + remoteAddress() + " is closed");
        }
        if (answered) {
            throw new IllegalStateException("the connection request of " + remoteAddress() + " was already accepted or rejected");
        }
    }

    @Override
    public Connection accept(ConnectionParameters parameters, Duration timeout) {
        Terms terms = SoftConnectionManager.terms(device, parameters);
        PendingConnection attempt;
        synchronized (this) {
            checkUnanswered();
            if (queuePair == null) {
                throw new IllegalStateException("create the queue pair before accepting");
            }
            answered = true;
            attempt = new PendingConnection(queuePair, "accept " + remoteAddress());
            pending = attempt;
            queuePair.connecting(attempt);
        }
        try {
            open.accept(terms, attempt::onEstablished, attempt::onFailed);
            Connection connection = attempt.await(timeout, () -> "the peer did not take the MPA Reply");
            connected = true;
            device.children().remove(this);
            return connection;
        } catch (RuntimeException | Error e) {
            open.abort();
            close();
            throw e;
        }
    }

    @Override
    public void reject(ConnectionParameters parameters) {
        Terms terms = SoftConnectionManager.terms(device, parameters);
        SoftQueuePair unused;
        synchronized (this) {
            checkUnanswered();
            answered = true;
            unused = queuePair;
        }
        device.counters().onRejected();
        open.reject(terms);
        if (unused != null) {
            unused.close();
        }
        device.children().remove(this);
    }

    @Override
    public void close() {
        SoftQueuePair unused;
        boolean drop;
        synchronized (this) {
            if (closed || connected) {
                return;
            }
            closed = true;
            unused = queuePair;
            drop = !answered || pending != null;
            if (pending != null) {
                pending.close();
            }
        }
        if (drop) {
            open.abort();
        }
        if (unused != null) {
            unused.close();
        }
        device.children().remove(this);
    }
}

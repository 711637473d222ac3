package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
import org.panamaverbs.softiwarp.memory.Shortage;

/** A connector: the active side while a connection is being established. */
final class SoftConnector implements Connector {
    private final SoftDevice device;
    private final Route route;
    private SoftQueuePair queuePair;
    private State state = State.NEW;

    private enum State {
        NEW, CONNECTING, CONNECTED, CLOSED
    }

    SoftConnector(SoftDevice device, Route route) {
        this.device = device;
        this.route = route;
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
        queuePair = SoftConnectionManager.createQueuePair(device, domain, attributes);
        return queuePair;
    }

    private void checkOpen() {
        if (state == State.CLOSED) {
            throw new ClosedException("the connector to " + Route.text(route.remote()) + " is closed");
        }
    }

    @Override
    public Connection connect(ConnectionParameters parameters, Duration timeout) {
        ConnectionParameters fitting = parameters.fitting(device);
        SoftQueuePair own = begin();
        try {
            ActiveOpen<SoftConnection> opening = opening(own, fitting);
            opening.connect(route);
            Connection connection = own.await(opening, timeout);
            end(State.CONNECTED);
            return connection;
        } finally {
            close();
        }
    }

    private ActiveOpen<SoftConnection> opening(SoftQueuePair own, ConnectionParameters fitting) {
        return Shortage.naming("a connection",
                () -> new ActiveOpen<>(own.loop(), channel -> SoftConnectionManager.terms(device, fitting, channel),
                        (opened, agreement) -> SoftConnection.connect(own, opened, agreement)));
    }

    /** No thread waits for the peer. */
    @Override
    public CompletionStage<Connection> connectAsync(ConnectionParameters parameters, Duration timeout) {
        CompletableFuture<Connection> stage = new CompletableFuture<>();
        try {
            beginToConnect(parameters.fitting(device), timeout, stage);
        } catch (RuntimeException | Error e) {
            stage.completeExceptionally(e);
        }
        return stage.minimalCompletionStage();
    }

    private void beginToConnect(ConnectionParameters fitting, Duration timeout, CompletableFuture<Connection> stage) {
        SoftQueuePair own = begin();
        try {
            ActiveOpen<SoftConnection> opening = opening(own, fitting);
            opening.connect(route);
            own.whenOver(opening, timeout, stage, () -> end(State.CONNECTED), this::close);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private synchronized SoftQueuePair begin() {
        checkOpen();
        if (queuePair == null) {
            throw new IllegalStateException("create the queue pair before connecting");
        }
        if (state != State.NEW) {
            throw new IllegalStateException("the connector has already connected, or tried to");
        }
        state = State.CONNECTING;
        return queuePair;
    }

    /** Takes a last state; {@code false} if it has one. */
    private synchronized boolean end(State last) {
        if (state == State.CONNECTED || state == State.CLOSED) {
            return false;
        }
        state = last;
        device.children().remove(this);
        return true;
    }

    @Override
    public void close() {
        if (end(State.CLOSED) && queuePair != null) {
            // Aborts the opening, too.
            queuePair.close();
        }
    }
}

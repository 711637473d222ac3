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
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.mpa.Terms;

/** A connection request: the passive side while a connection is being established. */
// Tested by ConnectContract, RejectContract.
final class SoftConnectionRequest implements ConnectionRequest {
    private final SoftDevice device;
    private final PassiveOpen<SoftConnection> open;
    private SoftQueuePair queuePair;
    private State state = State.UNANSWERED;

    private enum State {
        UNANSWERED, ACCEPTED, CONNECTED, REJECTED, CLOSED
    }

    SoftConnectionRequest(SoftDevice device, PassiveOpen<SoftConnection> open) {
        this.device = device;
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
        queuePair = SoftConnectionManager.createQueuePair(device, domain, attributes);
        return queuePair;
    }

    private void checkUnanswered() {
        if (state == State.CLOSED) {
            throw new ClosedException("the connection request of " + Route.text(remoteAddress()) + " is closed");
        }
        if (state != State.UNANSWERED) {
            throw new IllegalStateException(
                    "the connection request of " + Route.text(remoteAddress()) + " was already accepted or rejected");
        }
    }

    @Override
    public Connection accept(ConnectionParameters parameters, Duration timeout) {
        Terms terms = SoftConnectionManager.terms(device, parameters, open.channel());
        SoftQueuePair own = beginToAccept();
        try {
            open.accept(own.loop(), terms, (opened, agreement) -> SoftConnection.connect(own, opened, agreement), Opening.ONLY_THE_WAITER);
            Connection connection = own.await(open, timeout);
            end(State.CONNECTED);
            return connection;
        } finally {
            close();
        }
    }

    /** No thread waits for the peer. */
    @Override
    public CompletionStage<Connection> acceptAsync(ConnectionParameters parameters, Duration timeout) {
        CompletableFuture<Connection> stage = new CompletableFuture<>();
        try {
            beginToAccept(SoftConnectionManager.terms(device, parameters, open.channel()), timeout, stage);
        } catch (RuntimeException | Error e) {
            stage.completeExceptionally(e);
        }
        return stage.minimalCompletionStage();
    }

    private void beginToAccept(Terms terms, Duration timeout, CompletableFuture<Connection> stage) {
        SoftQueuePair own = beginToAccept();
        try {
            open.accept(own.loop(), terms, (opened, agreement) -> SoftConnection.connect(own, opened, agreement), Opening.ONLY_THE_WAITER);
            own.whenOver(open, timeout, stage, () -> end(State.CONNECTED), this::close);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private synchronized SoftQueuePair beginToAccept() {
        checkUnanswered();
        if (queuePair == null) {
            throw new IllegalStateException("create the queue pair before accepting");
        }
        state = State.ACCEPTED;
        return queuePair;
    }

    @Override
    public void reject(ConnectionParameters parameters) {
        Terms terms = SoftConnectionManager.terms(device, parameters, open.channel());
        synchronized (this) {
            checkUnanswered();
            end(State.REJECTED);
        }
        device.counters().onRejected();
        open.reject(terms);
        closeQueuePair();
    }

    /** Takes a last state; {@code false} if it has one. */
    private synchronized boolean end(State last) {
        if (state != State.UNANSWERED && state != State.ACCEPTED) {
            return false;
        }
        state = last;
        device.children().remove(this);
        return true;
    }

    private void closeQueuePair() {
        if (queuePair != null) {
            queuePair.close();
        }
    }

    @Override
    public void close() {
        if (end(State.CLOSED)) {
            open.abort();
            closeQueuePair();
        }
    }
}

package org.panamaverbs.rdmacore.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.QueuePair;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;

/** A connection: what was agreed; its end is the queue pair's. */
final class CoreConnection implements Connection {
    private final ConnectedQueuePair queuePair;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final byte[] privateData;
    private final int inboundReads;
    private final int outboundReads;

    CoreConnection(ConnectedQueuePair queuePair, CmIdentifier identifier, byte[] privateData, int inboundReads, int outboundReads) {
        this.queuePair = queuePair;
        this.local = identifier.source();
        this.remote = identifier.destination();
        this.privateData = privateData;
        this.inboundReads = inboundReads;
        this.outboundReads = outboundReads;
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public int inboundReads() {
        return inboundReads;
    }

    @Override
    public int outboundReads() {
        return outboundReads;
    }

    @Override
    public boolean isConnected() {
        return queuePair.isConnected();
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        return queuePair.awaitDisconnected(timeout);
    }

    @Override
    public Optional<ConnectionEnd> end() {
        return queuePair.connectionEnd();
    }

    @Override
    public CompletionStage<ConnectionEnd> ended() {
        return queuePair.whenEnded();
    }

    @Override
    public void disconnect() {
        queuePair.disconnect();
    }

    @Override
    public void close() {
        queuePair.close();
    }
}

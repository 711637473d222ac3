package example.loopback;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.QueuePair;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.spi.Waits;

/** One end of a connection. */
final class LoopbackConnection implements Connection {
    private final LoopbackQueuePair queuePair;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final byte[] privateData;
    private final int inboundReads;
    private final int outboundReads;
    private final CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
    private final Condition changed = Fabric.newCondition();
    private volatile ConnectionEnd end;

    LoopbackConnection(LoopbackQueuePair queuePair, InetSocketAddress local, InetSocketAddress remote, byte[] privateData,
            int inboundReads, int outboundReads) {
        this.queuePair = queuePair;
        this.local = local;
        this.remote = remote;
        this.privateData = privateData;
        this.inboundReads = inboundReads;
        this.outboundReads = outboundReads;
    }

    /** It has ended. The dependents of {@link #ended()} are code of the program: they run in a thread of their own, without the lock. */
    void end(ConnectionEnd how) {
        end = how;
        changed.signalAll();
        Thread.startVirtualThread(() -> ended.complete(how));
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
        return end == null;
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        long left = Waits.nanos(timeout);
        try (var _ = Fabric.enter()) {
            while (end == null && left > 0) {
                left = Waits.await(changed, left);
            }
            return end != null;
        }
    }

    @Override
    public Optional<ConnectionEnd> end() {
        return Optional.ofNullable(end);
    }

    @Override
    public CompletionStage<ConnectionEnd> ended() {
        return ended.minimalCompletionStage();
    }

    @Override
    public void disconnect() {
        queuePair.disconnect(ConnectionEnd.orderly(), ConnectionEnd.orderly());
    }

    @Override
    public void close() {
        queuePair.close();
    }

    @Override
    public String toString() {
        return "connection of " + queuePair + " to " + remote;
    }
}

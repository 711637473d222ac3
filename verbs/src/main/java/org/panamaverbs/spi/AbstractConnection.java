package org.panamaverbs.spi;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.QueuePair;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/** A connection that keeps the rules of ends and waits for its provider, which calls {@link #end} once. */
public abstract class AbstractConnection implements Connection {
    private final QueuePair queuePair;
    private final InetSocketAddress localAddress;
    private final InetSocketAddress remoteAddress;
    private final byte[] privateData;
    private final int inboundReads;
    private final int outboundReads;
    private final CountDownLatch over = new CountDownLatch(1);
    /** Written once, under this object's monitor. */
    private volatile @Nullable ConnectionEnd end;
    // Under this object's monitor, and made when the program asks for the stage: without that, an end needs no thread.
    private @Nullable CompletableFuture<ConnectionEnd> ended;
    private Workers.@Nullable Task completion;

    /**
     * Makes one that is connected.
     *
     * @param queuePair     its queue pair
     * @param localAddress  this end, with the real port
     * @param remoteAddress the other end, with the real port
     * @param privateData   the private data of the peer's program; copied
     * @param inboundReads  the IRD in force
     * @param outboundReads the ORD in force
     */
    protected AbstractConnection(QueuePair queuePair, InetSocketAddress localAddress, InetSocketAddress remoteAddress, byte[] privateData,
            int inboundReads, int outboundReads) {
        this.queuePair = Objects.requireNonNull(queuePair);
        this.localAddress = Objects.requireNonNull(localAddress);
        this.remoteAddress = Objects.requireNonNull(remoteAddress);
        this.privateData = privateData.clone();
        this.inboundReads = inboundReads;
        this.outboundReads = outboundReads;
    }

    /**
     * Says how it ended; the first call counts. The provider calls it before any request of the connection is flushed. It does not wait,
     * and may be called with locks held: the dependents of {@link #ended()}, which are code of the program, run on one of the {@link Workers}.
     *
     * @param how how it ended
     * @return {@code false} if it had ended before
     */
    protected final boolean end(ConnectionEnd how) {
        Objects.requireNonNull(how);
        Workers.Task task;
        synchronized (this) {
            if (end != null) {
                return false;
            }
            end = how;
            task = completion;
        }
        over.countDown();
        if (task != null) {
            task.submit();
        }
        return true;
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public final InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public final InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public final byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public final int inboundReads() {
        return inboundReads;
    }

    @Override
    public final int outboundReads() {
        return outboundReads;
    }

    @Override
    public boolean isConnected() {
        return end == null;
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        try {
            return over.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    @Override
    public final Optional<ConnectionEnd> end() {
        return Optional.ofNullable(end);
    }

    @Override
    public final synchronized CompletionStage<ConnectionEnd> ended() {
        if (ended == null) {
            CompletableFuture<ConnectionEnd> stage = new CompletableFuture<>();
            if (end == null) {
                completion = new Workers.Task(() -> stage.complete(end));
            } else {
                stage.complete(end);
            }
            ended = stage;
        }
        return ended.minimalCompletionStage();
    }

    @Override
    public void close() {
        queuePair.close();
    }

    @Override
    public String toString() {
        return "the connection of " + queuePair + " to " + remoteAddress;
    }
}

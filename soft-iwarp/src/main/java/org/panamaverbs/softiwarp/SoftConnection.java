package org.panamaverbs.softiwarp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.QueuePair;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.Waits;
import org.slf4j.LoggerFactory;

/** A connection. */
// Tested by ConnectionContract, DisconnectContract, EndsTest.
final class SoftConnection implements Connection, StreamDriver.Listener {
    /** One for all connections: if memory runs out, they may all fail. */
    private static final Complaints COMPLAINTS = new Complaints(LoggerFactory.getLogger(SoftConnection.class));

    private final SoftQueuePair queuePair;
    private final Channel channel;
    private final Agreement agreement;
    private final long begin = System.nanoTime();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    /** Written once, by {@link #connect}. */
    private StreamDriver driver;
    /** Whether the program has disconnected. */
    private volatile boolean ending;
    /** How the connection ended; written before the latch opens. */
    private volatile ConnectionEnd end;
    private final CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
    /** Whether the program has asked for {@link #ended}. */
    private volatile boolean watched;

    private SoftConnection(SoftQueuePair queuePair, Channel channel, Agreement agreement) {
        this.queuePair = queuePair;
        this.channel = channel;
        this.agreement = agreement;
    }

    /**
     * Connects a queue pair. Only the loop's leader calls it.
     *
     * @throws org.panamaverbs.ClosedException if the queue pair is closed
     */
    static SoftConnection connect(SoftQueuePair queuePair, Opening<?> opened, Agreement agreement) {
        SoftConnection connection = new SoftConnection(queuePair, opened.channel(), agreement);
        connection.driver = queuePair.attach(opened, agreement, connection);
        return connection;
    }

    @Override
    public void onDisconnected(VerbsException reason) {
        if (disconnected.getCount() > 0) {
            end = queuePair.end(reason);
            try {
                recordEnd();
            } catch (RuntimeException | Error e) {
                COMPLAINTS.error("the end of the connection of {} was not recorded", queuePair, e);
            }
        }
        announceEnd(reason != null);
    }

    private void announceEnd(boolean hasFailed) {
        disconnected.countDown();
        try {
            queuePair.onDisconnected(hasFailed);
        } finally {
            if (watched) {
                // Not by this thread: a dependent that blocks would stop the loop.
                Thread.ofVirtual().name("connection ended").start(() -> ended.complete(end));
            }
        }
    }

    private void recordEnd() {
        queuePair.domain().device().counters().onEnded(end.cause());
        Recorder recorder = Recorder.get();
        Recorder.Peers peers = queuePair.peers(channel);
        if (end.cause() == ConnectionEnd.Cause.REMOTE_ERROR) {
            end.terminate().ifPresent(code -> recorder.onTerminate(peers, false, code));
        }
        recorder.onEnded(peers, System.nanoTime() - begin, end.cause(), end.failure().map(Throwable::getMessage).orElse(null),
                queuePair.counters().bytesSent(), queuePair.counters().bytesReceived());
    }

    @Override
    public void onTerminateSent(int error) {
        Recorder.get().onTerminate(queuePair.peers(channel), true, error);
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public InetSocketAddress localAddress() {
        return channel.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    @Override
    public byte[] privateData() {
        return agreement.privateData().clone();
    }

    @Override
    public int inboundReads() {
        return agreement.ird();
    }

    @Override
    public int outboundReads() {
        return agreement.ord();
    }

    @Override
    public OptionalInt remoteInboundReads() {
        return agreement.remoteIrd();
    }

    @Override
    public OptionalInt remoteOutboundReads() {
        return agreement.remoteOrd();
    }

    @Override
    public boolean isConnected() {
        return disconnected.getCount() > 0 && !ending;
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        try {
            return disconnected.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
    }

    @Override
    public Optional<ConnectionEnd> end() {
        return disconnected.getCount() > 0 ? Optional.empty() : Optional.of(end);
    }

    @Override
    public CompletionStage<ConnectionEnd> ended() {
        watched = true;
        // Either this sees the end, or the thread that ends the connection sees that it is watched.
        if (disconnected.getCount() == 0) {
            ended.complete(end);
        }
        return ended.minimalCompletionStage();
    }

    @Override
    public void disconnect() {
        ending = true;
        driver.disconnect();
    }

    @Override
    public void close() {
        queuePair.close();
    }
}

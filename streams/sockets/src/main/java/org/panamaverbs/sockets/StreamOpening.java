package org.panamaverbs.sockets;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.spi.support.Workers;

/** Opens a stream's queue pair and connects it. Workers begin, since a device may take its time. No thread waits for the peer. */
// Tested by VerbsSocketTest.
final class StreamOpening {
    private static final IOException OUT_OF_MEMORY = new IOException("the stream has failed for want of memory");

    /** A method of an object that makes the queue pair. */
    @FunctionalInterface
    interface Maker {
        QueuePair make(ProtectionDomain domain, QueuePairAttributes attributes);
    }

    /** The stream. */
    interface Owner {
        /**
         * Opens the queue pair.
         *
         * @param peerCarries whether the peer takes messages that carry bytes, or may take them
         * @return how it connects
         * @throws IllegalStateException if the stream has ended
         */
        ConnectionParameters open(Maker maker, boolean peerCarries);

        /** The queue pair is connected. */
        void connected(Connection connection);

        /** The attempt has failed, and closed the queue pair if there was one. */
        void failed(IOException reason);
    }

    private final Lock lock;
    private final Owner owner;
    private final Workers.Task givingUp = new Workers.Task(this::closeAttempt);
    /** A connector or request; {@code null} if nothing is being connected. Guarded by the lock. */
    private @Nullable AutoCloseable attempt;

    /** @param lock the stream's */
    StreamOpening(Lock lock, Owner owner) {
        this.lock = lock;
        this.owner = owner;
    }

    /** Connects to a peer. */
    void connect(Supplier<Connector> source, Duration timeout) {
        long begin = System.nanoTime();
        Connector connector = null;
        try {
            connector = source.get();
            Connector open = connector;
            ConnectionParameters parameters = open(open, open::createQueuePair, true);
            open.connectAsync(parameters, left(timeout, begin))
                    .whenComplete((established, failure) -> onOutcome(open, established, failure));
        } catch (RuntimeException | Error e) {
            // Whatever fails, the program waits for an outcome.
            abandon(connector, e);
        }
    }

    private static Duration left(Duration timeout, long begin) {
        Duration left = timeout.minusNanos(System.nanoTime() - begin);
        return left.isPositive() ? left : Duration.ofNanos(1);
    }

    /** Accepts a peer. One that does not speak the protocol is rejected. */
    void accept(ConnectionRequest request, Duration timeout) {
        try {
            PrivateData peer = decode(request);
            ConnectionParameters parameters = open(request, request::createQueuePair, peer.carries());
            request.acceptAsync(parameters, timeout).whenComplete((established, failure) -> onOutcome(request, established, failure));
        } catch (IOException | RuntimeException | Error e) {
            // Whatever fails, the peer and the program wait for an outcome.
            abandon(request, e);
        }
    }

    private static PrivateData decode(ConnectionRequest request) throws StreamProtocolException {
        try {
            return PrivateData.decode(request.privateData());
        } catch (StreamProtocolException e) {
            request.reject(new byte[0]);
            throw e;
        }
    }

    private ConnectionParameters open(AutoCloseable begun, Maker maker, boolean peerCarries) {
        lock.lock();
        try {
            attempt = begun;
            return owner.open(maker, peerCarries);
        } finally {
            lock.unlock();
        }
    }

    private void onOutcome(AutoCloseable begun, @Nullable Connection established, @Nullable Throwable failure) {
        if (established == null) {
            abandon(begun, cause(Objects.requireNonNull(failure)));
            return;
        }
        takeAttempt();
        try {
            owner.connected(established);
        } catch (VerbsException | OutOfMemoryError e) {
            established.close();
            abandon(begun, e);
        }
    }

    private static Throwable cause(Throwable failure) {
        Throwable wrapped = failure instanceof CompletionException ? failure.getCause() : null;
        return wrapped == null ? failure : wrapped;
    }

    private void abandon(@Nullable AutoCloseable begun, Throwable reason) {
        close(begun);
        takeAttempt();
        owner.failed(failure(reason));
    }

    /** Without memory for an exception, a stream ends nevertheless. */
    static IOException failure(Throwable reason) {
        try {
            return reason instanceof IOException failure ? failure : new IOException(reason.getMessage(), reason);
        } catch (OutOfMemoryError e) {
            return OUT_OF_MEMORY;
        }
    }

    private static void close(@Nullable AutoCloseable attempt) {
        try {
            if (attempt != null) {
                attempt.close();
            }
        } catch (Exception | Error e) {
            // The attempt ends by itself.
        }
    }

    /** Gives an attempt up, whose outcome does the rest. The caller holds the lock. */
    void giveUp() {
        if (attempt != null) {
            givingUp.submit();
        }
    }

    private void closeAttempt() {
        close(takeAttempt());
    }

    private @Nullable AutoCloseable takeAttempt() {
        lock.lock();
        try {
            AutoCloseable last = attempt;
            attempt = null;
            return last;
        } finally {
            lock.unlock();
        }
    }
}

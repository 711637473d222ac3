package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/**
 * Two programs with each other, from the first object to the last: open, register, connect, Write with immediate data, Send, Read,
 * atomic, disconnect. If something fails, it says how.
 */
final class FaultScenario {
    /** A wait that takes so long is a hang. */
    static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LENGTH = 100_000;
    private static final long FIRST = 40;
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.defaults();

    private final Configuration configuration;
    private final MemorySegment memory;
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    /** Uses memory of {@link #memorySize} bytes, which the caller may use again. */
    FaultScenario(Configuration configuration, MemorySegment memory) {
        this.configuration = configuration;
        this.memory = memory;
    }

    static long memorySize() {
        return 5L * LENGTH;
    }

    /** The objects of one side. */
    private static final class Side {
        final Device device;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final Completions completions;
        QueuePair pair;
        Connection connection;

        Side(Device device, Arena arena) {
            this.device = device;
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(64);
            completions = Completions.allocate(8);
        }

        /** Waits for the completion of a request, which must come next. */
        void await(long id) {
            if (!completions.next() && !(queue.await(completions, LIMIT) > 0 && completions.next())) {
                throw new VerbsTimeoutException("no completion of " + id);
            }
            if (completions.id() != id) {
                throw new AssertionError("completion of " + completions.id() + " instead of " + id);
            }
            if (completions.status() != CompletionStatus.SUCCESS) {
                CompletionStatus status = completions.status();
                if (!connection.awaitDisconnected(LIMIT)) {
                    throw new VerbsTimeoutException("request " + id + " ended with " + status + ", and the connection goes on");
                }
                throw connection.failure().orElseGet(() -> new ClosedException("the peer ended before request " + id + ": " + status));
            }
        }
    }

    /** Runs to the end; returns what failed, nothing if nothing did. */
    List<Throwable> run() {
        for (long i = 0; i < memory.byteSize() / Long.BYTES; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, i < LENGTH / Long.BYTES ? i * 0x9E3779B97F4A7C15L : 0);
        }
        memory.set(ValueLayout.JAVA_LONG, 4L * LENGTH, FIRST);
        // Native memory of the JDK alone, whose allocation does not count as the transport's.
        try (Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open(configuration)) {
            between(verbs, arena);
        } catch (RuntimeException | Error e) {
            failures.add(e);
        }
        return failures;
    }

    private MemorySegment part(int index) {
        return memory.asSlice((long) index * LENGTH, LENGTH);
    }

    private void between(Verbs verbs, Arena arena) {
        Side server = new Side(verbs.device(), arena);
        Side client = new Side(verbs.device(), arena);
        Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        MemoryRegion target = server.domain.register(part(1), Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        MemoryRegion received = server.domain.register(part(2), Access.LOCAL_WRITE);
        MemoryRegion counter = server.domain.register(part(4).asSlice(0, 64), Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        CompletableFuture<Void> serving = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("scenario-server").start(() -> {
            try {
                serve(server, listener, received);
            } catch (RuntimeException | Error e) {
                failures.add(e);
                // The other side must not wait for this one.
                listener.close();
            } finally {
                close(server);
                serving.complete(null);
            }
        });
        try {
            connect(client, listener.address());
            use(client, target, counter);
            check();
        } catch (RuntimeException | Error e) {
            failures.add(e);
            listener.close();
        } finally {
            close(client);
        }
        try {
            serving.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            failures.add(new VerbsTimeoutException("the server does not end"));
        }
        listener.close();
        target.close();
        received.close();
        counter.close();
        client.domain.close();
        server.domain.close();
    }

    private void close(Side side) {
        try {
            if (side.connection != null) {
                side.connection.close();
            }
            if (side.pair != null) {
                side.pair.close();
            }
            side.queue.close();
        } catch (RuntimeException | Error e) {
            failures.add(e);
        }
    }

    private static void serve(Side side, Listener listener, MemoryRegion received) {
        try (ConnectionRequest request = listener.awaitRequest(LIMIT)) {
            side.pair = request.createQueuePair(side.domain, QueuePairAttributes.of(side.queue));
            side.pair.post(new ReceiveRequest().receive(1).local(received, 0, LENGTH));
            side.pair.post(new ReceiveRequest().receive(2).local(received, 0, LENGTH));
            side.connection = request.accept(PARAMETERS, LIMIT);
        }
        side.await(1);
        side.await(2);
        if (!side.connection.awaitDisconnected(LIMIT)) {
            throw new VerbsTimeoutException("the connection does not end");
        }
        side.connection.failure().ifPresent(failure -> {
            throw failure;
        });
    }

    private static void connect(Side side, InetSocketAddress address) {
        try (Connector connector = ConnectionManager.of(side.device).connector(address, LIMIT)) {
            side.pair = connector.createQueuePair(side.domain, QueuePairAttributes.of(side.queue));
            side.connection = connector.connect(PARAMETERS, LIMIT);
        }
    }

    private void use(Side side, MemoryRegion target, MemoryRegion counter) {
        MemoryRegion source = side.domain.register(part(0));
        MemoryRegion sink = side.domain.register(part(3), Access.LOCAL_WRITE);
        QueuePair pair = side.pair;
        pair.post(new SendRequest().write(1).local(source, 0, LENGTH).remote(target.remote(), 0).immediate(77).signaled());
        pair.post(new SendRequest().send(2).local(source, 0, LENGTH).signaled());
        pair.post(new SendRequest().read(3).local(sink, 0, LENGTH - Long.BYTES).remote(target.remote(), 0).signaled());
        pair.post(new SendRequest().fetchAndAdd(4).add(2).local(sink, LENGTH - Long.BYTES, 8).remote(counter.remote(), 0).signaled());
        for (long id = 1; id <= 4; id++) {
            side.await(id);
        }
        side.connection.disconnect();
        if (!side.connection.awaitDisconnected(LIMIT)) {
            throw new VerbsTimeoutException("the connection does not end");
        }
        source.close();
        sink.close();
        side.connection.failure().ifPresent(failure -> {
            throw failure;
        });
    }

    /** All requests succeeded. */
    private void check() {
        long summed = memory.get(ValueLayout.JAVA_LONG, 4L * LENGTH);
        long fetched = memory.get(ValueLayout.JAVA_LONG, 4L * LENGTH - Long.BYTES);
        if (part(0).mismatch(part(1)) >= 0 || part(0).asSlice(0, LENGTH - Long.BYTES).mismatch(part(3)) < LENGTH - Long.BYTES
                || summed != FIRST + 2 || fetched != FIRST) {
            throw new AssertionError(
                    "wrong data: " + part(0).mismatch(part(1)) + ", " + part(0).mismatch(part(3)) + ", " + summed + ", " + fetched);
        }
    }
}

package org.panamaverbs.tools.perf;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Resources;

/**
 * The passive ends of connections that carry nothing. They need no thread each: one waits for their receives, which are flushed when
 * their peers leave.
 */
final class IdleTargets implements AutoCloseable {
    /** As many as the perf command asks for at most. */
    static final int MAXIMUM = 16_384;

    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Device device;
    /** From before they are accepted: a peer may leave sooner than that returns. */
    private final Map<Long, CompletableFuture<Connection>> connections = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();
    /** Made for the first connection. */
    private Resources resources;
    private MemoryRegion region;

    IdleTargets(Device device) {
        this.device = device;
    }

    void accept(ConnectionRequest request) {
        prepare();
        if (connections.size() >= MAXIMUM) {
            throw new Failure("there are " + MAXIMUM + " idle connections already");
        }
        QueuePair pair = request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
        long id = next.getAndIncrement();
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        connections.put(id, accepted);
        try {
            pair.postReceive(id, region, 0, 0);
            accepted.complete(request.accept(ConnectionParameters.defaults(), ACCEPT_TIMEOUT));
        } catch (RuntimeException e) {
            connections.remove(id);
            throw e;
        }
    }

    private synchronized void prepare() {
        if (resources == null) {
            resources = new Resources(device, 2 * MAXIMUM);
            region = resources.domain().register(resources.arena().allocate(8), Access.LOCAL_WRITE);
            Thread.ofPlatform().daemon().name("idle-targets").start(this::awaitEnds);
        }
    }

    private void awaitEnds() {
        Completions completions = resources.completions();
        try {
            while (true) {
                resources.await(LOOK);
                while (completions.next()) {
                    CompletableFuture<Connection> left = connections.remove(completions.id());
                    if (left != null) {
                        left.thenAccept(Connection::close);
                    }
                }
            }
        } catch (ClosedException e) {
            // The listener is closed.
        }
    }

    @Override
    public synchronized void close() {
        if (resources != null) {
            resources.domain().close();
            resources.queue().close();
        }
    }
}

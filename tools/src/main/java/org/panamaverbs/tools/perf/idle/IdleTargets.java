package org.panamaverbs.tools.perf.idle;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Completions;
import org.panamaverbs.Device;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Resources;

/**
 * The passive ends of connections that carry nothing. They need no thread each: one waits for their receives, which are flushed when
 * their peers leave.
 */
public final class IdleTargets implements AutoCloseable {
    /** As many as the perf command asks for at most. */
    public static final int MAXIMUM = 16_384;

    /** The memory that one connection takes, heap and native, in bytes. */
    public static final long MEMORY_EACH = 8 << 10;

    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Device device;
    private final MemoryBudget budget;
    private final Presence presence;
    /** From before they are accepted: a peer may leave sooner than that returns. */
    private final Map<Long, Idle> connections = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();
    /** Made for the first connection, as the other two. */
    private Resources resources;
    private Thread waiter;

    /** The queue pair of a connection, and the host of its peer. */
    private record Idle(InetAddress host, QueuePair pair) {
    }

    /**
     * @param budget   of which each connection has taken {@link #MEMORY_EACH} before it is accepted, and to which it is given back
     * @param presence of the hosts: the connections of one that is gone are closed
     */
    public IdleTargets(Device device, MemoryBudget budget, Presence presence) {
        this.device = device;
        this.budget = budget;
        this.presence = presence;
    }

    /** How many there are. */
    public int count() {
        return connections.size();
    }

    public void accept(ConnectionRequest request) {
        long id = next.getAndIncrement();
        try (Rollback undo = new Rollback()) {
            undo.add(() -> budget.giveBack(MEMORY_EACH));
            prepare();
            if (connections.size() >= MAXIMUM) {
                throw new Failure("there are " + MAXIMUM + " idle connections already");
            }
            InetAddress host = request.remoteAddress().getAddress();
            presence.connected(host);
            QueuePair pair = request.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
            connections.put(id, new Idle(host, pair));
            undo.commit();
            // Unless its receive is flushed meanwhile: then the waiting thread closes it.
            undo.add(() -> close(id));
            pair.post(new ReceiveRequest().receive(id));
            request.accept(ConnectionParameters.defaults(), ACCEPT_TIMEOUT);
            undo.commit();
        }
    }

    private synchronized void prepare() {
        if (resources == null) {
            resources = new Resources(device, 2 * MAXIMUM);
            waiter = Thread.ofPlatform().daemon().name("idle-targets").start(this::awaitEnds);
        }
    }

    private void awaitEnds() {
        Completions completions = resources.completions();
        try {
            while (true) {
                if (resources.await(LOOK) == 0) {
                    closeAbandoned();
                }
                while (completions.next()) {
                    close(completions.id());
                }
            }
        } catch (ClosedException e) {
            // The listener is closed.
        }
    }

    private void closeAbandoned() {
        connections.forEach((id, idle) -> {
            if (presence.isGone(idle.host)) {
                close(id);
            }
        });
        presence.forget();
    }

    private void close(long id) {
        Idle left = connections.remove(id);
        if (left != null) {
            budget.giveBack(MEMORY_EACH);
            left.pair.close();
        }
    }

    @Override
    public void close() {
        Thread ending;
        synchronized (this) {
            if (resources == null) {
                return;
            }
            resources.domain().close();
            resources.queue().close();
            ending = waiter;
        }
        try {
            // It uses the memory of the completions.
            if (ending.join(ACCEPT_TIMEOUT)) {
                resources.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** The side under test, through the public API: open verbs on soft-iwarp, a listener, and memory. */
final class Host implements AutoCloseable {
    /** How long anything may take that must happen. */
    static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int EXCHANGED = 100;
    /** More than come at once in any test: a TCP peer that finds no room tries again only after a second. */
    private static final int BACKLOG = 1024;

    final Verbs verbs;
    final Device device;
    final ProtectionDomain domain;
    final ConnectionManager connections;
    final Listener listener;
    final Arena arena = Arena.ofShared();

    /** Opens it; {@code settings} are names and values without their common prefix. */
    Host(String transport, String... settings) {
        Configuration.Builder builder = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport);
        for (int i = 0; i < settings.length; i += 2) {
            builder.set("panamaverbs.softiwarp." + settings[i], settings[i + 1]);
        }
        verbs = Verbs.open(builder.build());
        device = verbs.device();
        domain = device.allocateProtectionDomain();
        connections = ConnectionManager.of(device);
        listener = connections.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    }

    /** One end of a connection of this host. */
    static final class End {
        final CompletionQueue queue;
        final Completions completions;
        QueuePair queuePair;
        Connection connection;

        End(Host host) {
            queue = host.device.createCompletionQueue(256);
            completions = Completions.allocate(host.arena, 16);
        }

        /** The next completion, shown by the cursor. */
        Completions next() {
            if (!completions.next()) {
                assertTrue(queue.await(completions, LIMIT) > 0 && completions.next(), "no completion came");
            }
            return completions;
        }
    }

    /** Two ends that are connected to each other. */
    record Pair(End client, End server) {
    }

    End end() {
        return new End(this);
    }

    MemoryRegion region(long length, Access... rights) {
        MemorySegment memory = arena.allocate(length, 64);
        memory.fill(Rig.GUARD);
        return domain.register(memory, rights);
    }

    /** Accepts the next connection, in the background; the end has one receive posted if a place for it is given. */
    CompletableFuture<End> accepting(ConnectionParameters parameters, MemoryRegion place) {
        return accepting(parameters, place, UnaryOperator.identity());
    }

    /** The same, with other attributes than those of a new queue pair. */
    CompletableFuture<End> accepting(ConnectionParameters parameters, MemoryRegion place, UnaryOperator<QueuePairAttributes> attributes) {
        CompletableFuture<End> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(accept(parameters, place, attributes));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private End accept(ConnectionParameters parameters, MemoryRegion place, UnaryOperator<QueuePairAttributes> attributes) {
        ConnectionRequest request = listener.awaitRequest(LIMIT);
        End end = end();
        end.queuePair = request.createQueuePair(domain, attributes.apply(QueuePairAttributes.of(end.queue)));
        if (place != null) {
            end.queuePair.postReceive(1, place, 0, place.length());
        }
        end.connection = request.accept(parameters, LIMIT);
        return end;
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Connects to an address. */
    End connect(InetSocketAddress address, ConnectionParameters parameters, Duration timeout) {
        try (Connector connector = connections.connector(address, timeout)) {
            End end = end();
            end.queuePair = connector.createQueuePair(domain, QueuePairAttributes.of(end.queue));
            end.connection = connector.connect(parameters, timeout);
            return end;
        }
    }

    /** Connects this host with itself. */
    Pair connect() throws Exception {
        CompletableFuture<End> accepted = accepting(ConnectionParameters.defaults(), null);
        End client = connect(listener.address(), ConnectionParameters.defaults(), LIMIT);
        return new Pair(client, get(accepted));
    }

    /** Sends something from one end of a connection to the other, which must work. */
    void exchange(Pair pair) {
        MemoryRegion from = region(EXCHANGED);
        MemoryRegion to = region(EXCHANGED, Access.LOCAL_WRITE);
        MemorySegment.copy(Forge.payload(EXCHANGED), 0, from.segment(), ValueLayout.JAVA_BYTE, 0, EXCHANGED);
        pair.server().queuePair.postReceive(7, to, 0, EXCHANGED);
        pair.client().queuePair.postSend(8, from, 0, EXCHANGED, QueuePair.SIGNALED);
        assertEquals(CompletionStatus.SUCCESS, pair.server().next().status());
        assertEquals(CompletionStatus.SUCCESS, pair.client().next().status());
        assertEquals(-1, from.segment().mismatch(to.segment()));
        from.close();
        to.close();
    }

    @Override
    public void close() {
        verbs.close();
        arena.close();
    }
}

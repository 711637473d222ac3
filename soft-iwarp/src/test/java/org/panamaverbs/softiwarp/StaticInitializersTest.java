package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/**
 * No class is initialized once memory is registered: the heap may be full while connections live, and a class whose initializer has failed
 * stays broken.
 */
class StaticInitializersTest {
    private static final String READY = "the device is open, memory is registered";
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** A line of the JVM; classes without an initializer have "(no method)". */
    private static final Pattern INITIALIZED = Pattern.compile("Initializing 'org/panamaverbs/([^']*)' \\((?!no method)");

    /** Every operation of a queue pair; the last one breaks the rights of a region, and a Terminate ends the connection. */
    static final class Operations {
        private Operations() {
        }

        private static void connect(Verbs verbs, Arena arena, boolean orderly) throws Exception {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                    MemoryRegion all = domain.register(arena.allocate(4096, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ,
                            Access.REMOTE_ATOMIC);
                    MemoryRegion local = domain.register(arena.allocate(4096, 8));
                    CompletionQueue queue = verbs.device().createCompletionQueue(64);
                    Listener listener = ConnectionManager.of(verbs.device()).listen(any, 8)) {
                QueuePairAttributes attributes = QueuePairAttributes.of(queue);
                Connector connector = ConnectionManager.of(verbs.device()).connector(listener.address(), LIMIT);
                QueuePair near = connector.createQueuePair(domain, attributes);
                CompletionStage<Connection> connecting = connector.connectAsync(ConnectionParameters.defaults(), LIMIT);
                ConnectionRequest request = listener.awaitRequest(LIMIT);
                request.createQueuePair(domain, attributes).post(new ReceiveRequest().receive(1).local(all, 0, 4096));
                try (Connection server = request.accept(ConnectionParameters.defaults(), LIMIT);
                        Connection client = connecting.toCompletableFuture().get(60, TimeUnit.SECONDS)) {
                    near.post(new SendRequest().write(2).local(all, 0, 64).remote(all.remote(), 64).signaled());
                    complete(queue, 1);
                    near.post(new SendRequest().read(3).local(all, 0, 64).remote(all.remote(), 64).signaled());
                    complete(queue, 1);
                    near.post(new SendRequest().fetchAndAdd(4).add(1).local(all, 0, 8).remote(all.remote(), 64).signaled());
                    complete(queue, 1);
                    near.post(new SendRequest().send(5).local(all, 0, 64).signaled());
                    complete(queue, 2);
                    if (orderly) {
                        client.disconnectAsync();
                    } else {
                        near.post(new SendRequest().write(6).local(all, 0, 64).remote(local.remote(), 0).signaled());
                    }
                    server.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
                    client.ended().toCompletableFuture().get(60, TimeUnit.SECONDS);
                }
            }
        }

        private static void complete(CompletionQueue queue, int count) {
            for (int i = 0; i < count; i++) {
                Completion completion = queue.take(LIMIT);
                assertEquals(CompletionStatus.SUCCESS, completion.status());
            }
        }

        public static void main(String[] arguments) throws Exception {
            try (Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open(Configuration.load())) {
                try (ProtectionDomain domain = verbs.device().allocateProtectionDomain()) {
                    domain.register(arena.allocate(64)).close();
                }
                System.out.println(READY);
                connect(verbs, arena, true);
                connect(verbs, arena, false);
            }
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "shared-memory", "nio" })
    void shouldHaveRunBeforeTheFirstConnection(String transport) throws Exception {
        String output = ChildJvm.run(Operations.class, transport, List.of("-Xlog:class+init=info:stdout"));
        int ready = output.indexOf(READY);
        assertTrue(INITIALIZED.matcher(output.substring(0, ready)).find(), "the JVM does not tell what it initializes");
        Set<String> late = new TreeSet<>();
        for (Matcher line = INITIALIZED.matcher(output.substring(ready)); line.find();) {
            late.add(line.group(1).replace('/', '.'));
        }
        late.removeIf(name -> name.startsWith("softiwarp.StaticInitializersTest"));
        assertEquals(Set.of(), late, "these belong into the list of StaticInitializers");
    }
}

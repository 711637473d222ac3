package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.testing.BusyCarriers;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/** While the program's virtual threads compute on all carriers, connections begin and end, and stages complete. */
class BusyCarriersTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final ConnectionParameters PARAMETERS = ConnectionParameters.defaults();

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws Exception {
            BusyCarriers.occupy();
            try (Verbs verbs = Verbs.open(Configuration.load());
                    ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                    CompletionQueue queue = verbs.device().createCompletionQueue(16);
                    Listener listener = ConnectionManager.of(verbs.device()).listen(ANY, 8)) {
                QueuePairAttributes attributes = QueuePairAttributes.of(queue);
                CompletionStage<ConnectionRequest> coming = listener.awaitRequestAsync(LIMIT);
                Connector connector = ConnectionManager.of(verbs.device()).connector(listener.address(), LIMIT);
                connector.createQueuePair(domain, attributes);
                CompletionStage<Connection> connecting = connector.connectAsync(PARAMETERS, LIMIT);
                ConnectionRequest request = get(coming);
                request.createQueuePair(domain, attributes);
                CompletionStage<Connection> accepting = request.acceptAsync(PARAMETERS, LIMIT);
                Connection near = get(connecting);
                Connection far = get(accepting);
                CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
                far.ended().thenAccept(ended::complete);
                near.disconnectAsync();
                assertEquals(ConnectionEnd.Cause.ORDERLY, get(ended).cause());
                get(near.ended());
                // No program accepts it.
                Connector late = ConnectionManager.of(verbs.device()).connector(listener.address(), LIMIT);
                late.createQueuePair(domain, attributes);
                ExecutionException failure = assertThrows(ExecutionException.class,
                        () -> get(late.connectAsync(PARAMETERS, Duration.ofMillis(20))));
                assertInstanceOf(VerbsTimeoutException.class, failure.getCause());
                near.close();
                far.close();
            }
            System.exit(0);
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "auto", "nio" })
    void shouldBeginAndEndConnections(String transport) throws Exception {
        ChildJvm.run(Program.class, transport, ChildJvm.ONE_CARRIER);
    }
}

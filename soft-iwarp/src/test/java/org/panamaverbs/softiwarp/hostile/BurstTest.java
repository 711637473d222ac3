package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.softiwarp.fixtures.Host;

/** More clients connect at once than the backlog has places: each waits until its turn comes, and none is refused. */
class BurstTest {
    @ParameterizedTest(name = "{0}: backlog {1}, {2} clients")
    @CsvSource({ "auto, 1, 60", "auto, 16, 100", "epoll, 1, 60", "epoll, 16, 100", "nio, 1, 60", "nio, 16, 100", "shared-memory, 1, 60",
            "shared-memory, 16, 100" })
    void shouldLetClientsWaitThatAreMoreThanTheBacklog(String transport, int backlog, int clients) throws Exception {
        try (Host host = new Host(transport);
                Listener listener = host.connections.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
                ExecutorService threads = Executors.newFixedThreadPool(clients, Thread.ofPlatform().daemon().factory())) {
            List<Future<Host.End>> connecting = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                connecting.add(threads.submit(() -> host.connect(listener.address(), ConnectionParameters.defaults(), Host.LIMIT)));
            }
            // The program is slow to begin: by then all clients that do not wait have been refused.
            Inside.awaitRequests(listener, backlog);
            for (int i = 0; i < clients; i++) {
                accept(host, listener.awaitRequest(Host.LIMIT));
            }
            assertEquals(Map.of("connected", clients), outcomes(connecting));
            assertEquals(0, host.device.statistics().requestsRefused().getAsLong());
        }
    }

    private static void accept(Host host, ConnectionRequest request) {
        request.createQueuePair(host.domain, QueuePairAttributes.of(host.end().queue));
        request.accept(ConnectionParameters.defaults(), Host.LIMIT);
    }

    private static Map<String, Integer> outcomes(List<Future<Host.End>> connecting) throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        for (Future<Host.End> each : connecting) {
            String outcome;
            try {
                each.get(Host.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                outcome = "connected";
            } catch (ExecutionException e) {
                outcome = ((VerbsException) e.getCause()).getMessage();
            }
            counts.merge(outcome, 1, Integer::sum);
        }
        return counts;
    }
}

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.*;
import org.panamaverbs.cm.*;

/**
 * Messages with credits. Look at send: it keeps each message until it is acknowledged, and never sends more than the receiver has receives
 * for. It connects again if a connection ends (receive cuts one), and learns where to go on: nothing is lost, and nothing comes twice.
 */
public class Messages {
    // The memory of each end: a window of messages, then as many acknowledgements as can be on the way.
    private static final int MESSAGES = 16_000, CUT = 7_777, WINDOW = 64, BATCH = 16, SIZE = 256, ATTEMPTS = 5;
    private static final int ACKNOWLEDGEMENTS = WINDOW * SIZE, MEMORY = ACKNOWLEDGEMENTS + WINDOW / BATCH * Long.BYTES;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments.length > 0 ? arguments[0] : "127.0.0.1", 0);
        try (var threads = Executors.newCachedThreadPool(); Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open();
                Listener listener = ConnectionManager.of(verbs.device()).listen(address, 1);
                ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                MemoryRegion outgoing = domain.register(arena.allocate(MEMORY, 8), Access.LOCAL_WRITE);
                MemoryRegion incoming = domain.register(arena.allocate(MEMORY, 8), Access.LOCAL_WRITE)) {
            var receiver = threads.submit(() -> receive(listener, incoming));
            System.out.println(threads.submit(() -> send(listener.address(), outgoing)).get(60, TimeUnit.SECONDS));
            System.out.println(receiver.get(60, TimeUnit.SECONDS));
        }
    }

    private static String send(InetSocketAddress receiver, MemoryRegion region) throws InterruptedException {
        SendRequest request = new SendRequest();
        long written = 0, acknowledged = 0;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try (CompletionQueue queue = region.domain().device().createCompletionQueue(2 * WINDOW);
                    Connector connector = ConnectionManager.of(queue.device()).connector(receiver, TIMEOUT)) {
                QueuePair pair = connector.createQueuePair(region.domain(), QueuePairAttributes.of(queue).withDepths(WINDOW, WINDOW));
                for (int place = ACKNOWLEDGEMENTS; place < MEMORY; place += Long.BYTES) {
                    pair.post(new ReceiveRequest().receive(place).local(region, place, Long.BYTES));
                }
                Connection connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT);
                acknowledged = Math.clamp(ByteBuffer.wrap(connection.privateData()).getLong(), acknowledged, written);
                Completions completions = Completions.allocate(WINDOW);
                // The place of a message is free once it is both acknowledged there and completed here.
                long completed = acknowledged, sent = acknowledged;
                while (acknowledged < MESSAGES) {
                    for (; sent < Math.min(MESSAGES, Math.min(acknowledged, completed) + WINDOW); sent++) {
                        long place = sent % WINDOW * SIZE;
                        if (sent == written) {
                            region.segment().set(ValueLayout.JAVA_LONG, place, written++);
                        }
                        pair.post(request.send(sent).local(region, place, SIZE).signaled(sent % BATCH == 0));
                    }
                    if (queue.await(completions, TIMEOUT) == 0) {
                        throw new VerbsTimeoutException("no acknowledgement came in " + TIMEOUT);
                    }
                    while (completions.next()) {
                        connection.orThrow(completions);
                        if (completions.isReceive()) {
                            acknowledged = Math.clamp(region.segment().get(ValueLayout.JAVA_LONG, completions.id()), acknowledged, sent);
                            pair.post(new ReceiveRequest().receive(completions.id()).local(region, completions.id(), Long.BYTES));
                        } else {
                            completed = completions.id() + 1;
                        }
                    }
                }
                connection.disconnect();
                connection.awaitDisconnected(TIMEOUT);
                return "sender: " + acknowledged + " messages are acknowledged, over " + attempt + " connections";
            } catch (VerbsException e) {
                System.out.println("sender: connecting again, since " + e.getMessage());
                Thread.sleep(10 << attempt);
            }
        }
        throw new IllegalStateException("gave up after " + ATTEMPTS + " connections");
    }

    private static String receive(Listener listener, MemoryRegion region) {
        SendRequest request = new SendRequest();
        ReceiveRequest receive = new ReceiveRequest();
        long next = 0;
        while (true) {
            try (ConnectionRequest asked = listener.awaitRequest(TIMEOUT);
                    CompletionQueue queue = asked.device().createCompletionQueue(2 * WINDOW)) {
                QueuePair pair = asked.createQueuePair(region.domain(), QueuePairAttributes.of(queue).withDepths(WINDOW, WINDOW));
                for (int place = 0; place < ACKNOWLEDGEMENTS; place += SIZE) {
                    pair.post(receive.receive(place).local(region, place, SIZE));
                }
                byte[] from = ByteBuffer.allocate(Long.BYTES).putLong(next).array();
                Connection connection = asked.accept(ConnectionParameters.defaults().withPrivateData(from), TIMEOUT);
                Completions completions = Completions.allocate(WINDOW);
                // Once the connection has ended, receives fail. What came and is not counted comes again.
                while (connection.isConnected() && queue.await(completions, TIMEOUT) > 0) {
                    while (completions.next()) {
                        if (completions.isReceive() && completions.isSuccess()) {
                            long place = completions.id();
                            if (region.segment().get(ValueLayout.JAVA_LONG, place) != next++) {
                                throw new IllegalStateException("message " + (next - 1) + " was lost, or an earlier one came twice");
                            }
                            pair.post(receive.receive(place).local(region, place, SIZE));
                            if (next % BATCH == 0) {
                                region.segment().set(ValueLayout.JAVA_LONG, ACKNOWLEDGEMENTS, next);
                                pair.post(request.send(next).local(region, ACKNOWLEDGEMENTS, Long.BYTES).inline().signaled());
                            }
                            if (next == CUT) {
                                connection.disconnect();
                            }
                        }
                    }
                }
                if (next == MESSAGES && connection.failure().isEmpty()) {
                    return "receiver: " + next + " messages came, each once and in order";
                }
            }
        }
    }
}

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.*;
import org.panamaverbs.cm.*;

/**
 * Remote procedure calls of many clients, whose requests land in one shared receive queue. Look at reply: the place of a receive holds the
 * request, then the reply until it is sent, then the next request of any client; so a shorter one, behind which lies that of another client,
 * gets no reply. The attachment of a completion is the caller. A connection closes itself when it ends: the server has no list of them.
 */
public class SharedReceives {
    private static final int CLIENTS = 8, CONNECTIONS = 3, CALLS = 200, SIZE = 64;
    // A place is free once the completion of its reply was polled. By then a client can be 2 calls on, and have connected again: so 4 each.
    private static final int RECEIVES = 4 * CLIENTS;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The attachment of a queue pair: made before the queue pair is. */
    private static final class Caller {
        volatile QueuePair pair;
    }

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments.length > 0 ? arguments[0] : "127.0.0.1", 0);
        try (var threads = Executors.newCachedThreadPool(); Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open();
                Listener listener = ConnectionManager.of(verbs.device()).listen(address, CLIENTS);
                ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                MemoryRegion region = domain.register(arena.allocate(RECEIVES * SIZE, 8), Access.LOCAL_WRITE);
                SharedReceiveQueue receives = domain.createSharedReceiveQueue(RECEIVES, 1);
                // Each place has at most one completion, whatever the number of connections.
                CompletionQueue queue = verbs.device().createCompletionQueue(RECEIVES)) {
            for (int place = 0; place < RECEIVES * SIZE; place += SIZE) {
                receives.post(new ReceiveRequest().receive(place).local(region, place, SIZE));
            }
            var attributes = QueuePairAttributes.of(queue).withSharedReceiveQueue(receives).withDepths(RECEIVES, 1);
            Callable<String> client = () -> call(verbs.device(), listener.address(), arena.allocate(2 * SIZE, 8));
            var accepted = threads.submit(() -> accept(listener, domain, attributes));
            var replied = threads.submit(() -> reply(queue, receives, region));
            for (var called : threads.invokeAll(Collections.nCopies(CLIENTS, client), 60, TimeUnit.SECONDS)) {
                System.out.println(called.get());
            }
            System.out.println(replied.get(60, TimeUnit.SECONDS) + accepted.get(60, TimeUnit.SECONDS));
        }
    }

    private static String accept(Listener listener, ProtectionDomain domain, QueuePairAttributes attributes) throws InterruptedException {
        CountDownLatch open = new CountDownLatch(CLIENTS * CONNECTIONS);
        for (int i = 0; i < CLIENTS * CONNECTIONS; i++) {
            Caller caller = new Caller();
            ConnectionRequest request = listener.awaitRequest(Verbs.FOREVER);
            caller.pair = request.createQueuePair(domain, attributes.withAttachment(caller));
            Connection connection = request.accept(ConnectionParameters.defaults(), TIMEOUT);
            connection.ended().thenRun(connection::close).thenRun(open::countDown);
        }
        if (!open.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new VerbsTimeoutException(open.getCount() + " connections did not end in " + TIMEOUT);
        }
        return ", and closed " + CLIENTS * CONNECTIONS + " connections";
    }

    private static String reply(CompletionQueue queue, SharedReceiveQueue receives, MemoryRegion region) {
        Completions completions = Completions.allocate(RECEIVES);
        SendRequest reply = new SendRequest();
        ReceiveRequest receive = new ReceiveRequest();
        int calls = 0;
        while (calls < CLIENTS * CONNECTIONS * CALLS) {
            if (queue.await(completions, TIMEOUT) == 0) {
                throw new VerbsTimeoutException("no call came in " + TIMEOUT);
            }
            while (completions.next()) {
                long place = completions.id();
                if (completions.isReceive() && completions.isSuccess() && completions.byteLength() == SIZE) {
                    long number = region.segment().get(ValueLayout.JAVA_LONG, place);
                    region.segment().set(ValueLayout.JAVA_LONG, place, number * number);
                    calls++;
                    try {
                        ((Caller) completions.attachment()).pair.post(reply.send(place).local(region, place, SIZE).signaled());
                        continue;
                    } catch (ClosedException e) {
                        // The client has left meanwhile.
                    }
                }
                receives.post(receive.receive(place).local(region, place, SIZE));
            }
        }
        return "server: replied to " + calls + " calls with " + RECEIVES + " receives";
    }

    private static String call(Device device, InetSocketAddress server, MemorySegment memory) {
        try (ProtectionDomain domain = device.allocateProtectionDomain();
                MemoryRegion region = domain.register(memory, Access.LOCAL_WRITE);
                CompletionQueue queue = device.createCompletionQueue(2)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                Connector connector = ConnectionManager.of(device).connector(server, TIMEOUT);
                QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(1, 1));
                try (Connection connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT)) {
                    for (long number = 1; number <= CALLS; number++) {
                        pair.post(new ReceiveRequest().receive(number).local(region, SIZE, SIZE));
                        memory.set(ValueLayout.JAVA_LONG, 0, number);
                        pair.post(new SendRequest().send(number).local(region, 0, SIZE).signaled());
                        // The Send and the receive complete, in any order. This is short; reply shows how to allocate nothing.
                        connection.orThrow(queue.take(TIMEOUT));
                        connection.orThrow(queue.take(TIMEOUT));
                        if (memory.get(ValueLayout.JAVA_LONG, SIZE) != number * number) {
                            throw new IllegalStateException("the reply to " + number + " is wrong");
                        }
                    }
                }
            }
            return "client: " + CONNECTIONS * CALLS + " calls over " + CONNECTIONS + " connections";
        }
    }
}

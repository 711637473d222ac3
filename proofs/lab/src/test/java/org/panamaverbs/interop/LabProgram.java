package org.panamaverbs.interop;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.panamaverbs.Access;
import org.panamaverbs.AsynchronousEvents;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;

/** A process of its own: with other limits and rights than the tests', or with a device that is taken away from it. */
final class LabProgram {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private LabProgram() {
    }

    /** {@code register DEVICE BYTES}, or {@code wait DEVICE ADDRESS}; says the result on standard output. */
    public static void main(String[] arguments) throws Exception {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "rdma-core")
                .set("panamaverbs.device", arguments[1]).build();
        try (Verbs verbs = Verbs.open(configuration)) {
            if (arguments[0].equals("register")) {
                register(verbs.device(), Long.parseLong(arguments[2]));
            } else {
                waitForEverything(verbs.device(), arguments[2]);
            }
        } catch (VerbsException e) {
            System.out.println(e);
        }
        System.out.println("closed");
    }

    private static void register(Device device, long bytes) {
        try (Arena arena = Arena.ofShared(); ProtectionDomain domain = device.allocateProtectionDomain()) {
            domain.register(arena.allocate(bytes, 4096), Access.LOCAL_WRITE);
            System.out.println("registered");
        }
    }

    /** Waits in every way there is, until all waits have ended. */
    private static void waitForEverything(Device device, String address) throws Exception {
        AsynchronousEvents events = device.asynchronousEvents();
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue lonely = device.createCompletionQueue(16);
        CompletionQueue used = device.createCompletionQueue(64);
        ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion region = domain.register(Arena.global().allocate(4096), Access.LOCAL_WRITE);
        Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(address, 0), 8);
        Thread accepting = Thread.startVirtualThread(() -> accept(listener, domain, device.createCompletionQueue(64)));
        Connector connector = ConnectionManager.of(device).connector(listener.address(), LIMIT);
        QueuePair queuePair = connector.createQueuePair(domain, QueuePairAttributes.of(used).withInline(0));
        queuePair.post(new ReceiveRequest().receive(8).local(region, 0, 16));
        Connection connection = connector.connect(ConnectionParameters.defaults(), LIMIT);
        accepting.join();
        Thread[] waits = { start("event", () -> events.await(LIMIT)), start("channel", () -> channel.await(LIMIT)),
                start("listener", () -> listener.awaitRequest(LIMIT)), start("queue without queue pairs", () -> await(lonely)),
                start("queue", () -> await(used)),
                start("connection", () -> connection.awaitDisconnected(LIMIT) ? connection.failure().orElseThrow() : "still there") };
        System.out.println("waiting");
        for (Thread wait : waits) {
            wait.join();
        }
        System.out.println("all waits have ended");
    }

    private static void accept(Listener listener, ProtectionDomain domain, CompletionQueue queue) {
        ConnectionRequest request = listener.awaitRequest(LIMIT);
        request.createQueuePair(domain, QueuePairAttributes.of(queue).withInline(0));
        request.accept(ConnectionParameters.defaults(), LIMIT);
    }

    private static Object await(CompletionQueue queue) {
        Completions completions = Completions.allocate(1);
        return queue.await(completions, LIMIT) > 0 && completions.next() ? completions.status() : "nothing";
    }

    private static Thread start(String name, Callable<Object> wait) {
        return Thread.ofPlatform().daemon().start(() -> {
            Object outcome;
            try {
                outcome = wait.call();
            } catch (Exception e) {
                outcome = e;
            }
            System.out.println(name + ": " + outcome);
        });
    }
}

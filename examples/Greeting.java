import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
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

/**
 * Two programs send each other 16 bytes, the client first. So do rdma-core's rdma_server and rdma_client, which either end may be:
 *
 * <pre>
 *     examples/run Greeting serve ADDRESS      rdma_server
 *     rdma_client -s HOST                      examples/run Greeting greet HOST
 * </pre>
 */
public class Greeting {
    private static final int PORT = 7471;
    private static final int SIZE = 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0 || !arguments[0].equals("serve") && !arguments[0].equals("greet")) {
            System.err.println("usage: Greeting serve|greet [ADDRESS [PORT]]");
            System.exit(2);
        }
        InetAddress host = InetAddress.getByName(arguments.length > 1 ? arguments[1] : "127.0.0.1");
        InetSocketAddress address = new InetSocketAddress(host, arguments.length > 2 ? Integer.parseInt(arguments[2]) : PORT);
        try (Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open()) {
            Device device = verbs.device();
            MemorySegment memory = arena.allocate(2 * SIZE);
            memory.asSlice(SIZE).copyFrom(MemorySegment.ofArray("hello, neighbour".getBytes(StandardCharsets.US_ASCII)));
            // The first half is for the message of the peer, the second is our message.
            try (ProtectionDomain domain = device.allocateProtectionDomain();
                    MemoryRegion region = domain.register(memory, Access.LOCAL_WRITE);
                    CompletionQueue sent = device.createCompletionQueue(1);
                    CompletionQueue received = device.createCompletionQueue(1)) {
                QueuePairAttributes attributes = QueuePairAttributes.of(sent, received).withDepths(1, 1);
                if (arguments[0].equals("serve")) {
                    serve(device, address, region, attributes);
                } else {
                    greet(device, address, region, attributes);
                }
            }
        }
    }

    private static void serve(Device device, InetSocketAddress address, MemoryRegion region, QueuePairAttributes attributes) {
        try (Listener listener = ConnectionManager.of(device).listen(address, 1)) {
            System.out.println("listening on " + listener.address());
            try (ConnectionRequest request = listener.awaitRequest(TIMEOUT)) {
                QueuePair pair = request.createQueuePair(region.domain(), attributes);
                // Before the peer may send.
                pair.post(new ReceiveRequest().receive(1).local(region, 0, SIZE));
                try (Connection connection = request.accept(ConnectionParameters.defaults(), TIMEOUT)) {
                    attributes.receiveQueue().take(TIMEOUT).orThrow();
                    pair.post(new SendRequest().send(2).local(region, SIZE, SIZE).signaled());
                    attributes.sendQueue().take(TIMEOUT).orThrow();
                    report(connection, region);
                    connection.awaitDisconnected(TIMEOUT);
                }
            }
        }
    }

    private static void greet(Device device, InetSocketAddress address, MemoryRegion region, QueuePairAttributes attributes) {
        try (Connector connector = ConnectionManager.of(device).connector(address, TIMEOUT)) {
            QueuePair pair = connector.createQueuePair(region.domain(), attributes);
            pair.post(new ReceiveRequest().receive(1).local(region, 0, SIZE));
            try (Connection connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT)) {
                pair.post(new SendRequest().send(2).local(region, SIZE, SIZE).signaled());
                attributes.sendQueue().take(TIMEOUT).orThrow();
                attributes.receiveQueue().take(TIMEOUT).orThrow();
                report(connection, region);
            }
        }
    }

    private static void report(Connection connection, MemoryRegion region) {
        byte[] said = region.segment().asSlice(0, SIZE).toArray(ValueLayout.JAVA_BYTE);
        // rdma-core's programs say nothing but zeros.
        String text = new String(said, StandardCharsets.US_ASCII).replace('\0', '.');
        System.out.println(connection.remoteAddress() + " said: " + text);
    }
}

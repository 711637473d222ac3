import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.VerbsServerSocket;
import org.panamaverbs.sockets.VerbsSocket;
import org.panamaverbs.sockets.VerbsSockets;

/**
 * The peer of rdma-core's {@code rstream}, in both roles: streams go both ways in turn, and each byte is verified.
 *
 * <pre>
 * java ... RStream serve ADDRESS ITERATIONS COUNT SIZE        for  rstream -s ADDRESS -I ITERATIONS -C COUNT -S SIZE -T v
 * java ... RStream connect ADDRESS ITERATIONS COUNT SIZE      to   rstream -b ADDRESS -I ITERATIONS -C COUNT -S SIZE -T v
 * </pre>
 */
class RStream {
    private static final int PORT = 7471;
    private static final int GREETING = 16;
    private static final Duration SOON = Duration.ofSeconds(60);

    private final VerbsSocket socket;
    private final MemorySegment memory;
    /** The next byte of each direction: they count from 0, again and again. */
    private byte sent;
    private byte received;

    private RStream(VerbsSocket socket, MemorySegment memory) {
        this.socket = socket;
        this.memory = memory;
    }

    public static void main(String[] arguments) throws IOException {
        boolean connects = arguments[0].equals("connect");
        InetSocketAddress address = new InetSocketAddress(arguments[1], PORT);
        int iterations = Integer.parseInt(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        int size = Integer.parseInt(arguments[4]);
        try (Verbs verbs = Verbs.open(Configuration.load());
                VerbsSockets sockets = VerbsSockets.open(verbs);
                Arena arena = Arena.ofShared();
                VerbsSocket socket = connects ? sockets.connect(address, SOON) : accepted(sockets, address)) {
            socket.setTimeout(SOON);
            new RStream(socket, arena.allocate(Math.max(size, GREETING))).run(connects, iterations, count, size);
            System.out.println(iterations + " times " + count + " messages of " + size + " bytes each way, verified, with "
                    + socket.remoteAddress());
            socket.shutdownOutput();
        }
    }

    private static VerbsSocket accepted(VerbsSockets sockets, InetSocketAddress address) throws IOException {
        try (VerbsServerSocket server = sockets.listen(address, 1)) {
            System.out.println("listening on " + server.address());
            return server.accept(SOON);
        }
    }

    private void run(boolean first, int iterations, int count, int size) throws IOException {
        transfer(first, GREETING);
        transfer(!first, GREETING);
        for (int i = 0; i < iterations; i++) {
            for (int j = 0; j < count; j++) {
                transfer(first, size);
            }
            for (int j = 0; j < count; j++) {
                transfer(!first, size);
            }
        }
    }

    private void transfer(boolean sends, int size) throws IOException {
        if (sends) {
            send(size);
        } else {
            receive(size);
        }
    }

    private void send(int size) throws IOException {
        for (int i = 0; i < size; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, sent++);
        }
        socket.write(memory.asSlice(0, size));
    }

    private void receive(int size) throws IOException {
        for (int at = 0; at < size;) {
            int part = socket.read(memory.asSlice(at, size - at));
            if (part < 0) {
                throw new IOException("the peer ended after " + at + " of " + size + " bytes");
            }
            for (int i = at; i < at + part; i++) {
                byte found = memory.get(ValueLayout.JAVA_BYTE, i);
                if (found != received++) {
                    throw new IOException("byte " + i + " of a message is " + found);
                }
            }
            at += part;
        }
    }
}

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.ddp.*;

/**
 * Data for many receivers by multicast, without queue pairs: DDP over UDP places each datagram in the memory of every receiver. Look at
 * receive: it knows by its placement listener what came, and answers each notification with that. Look at send: it repeats what a receiver
 * lacks, until all have answered that they have all. Datagrams get lost; for the show the sender leaves one out in the first round.
 * Argument: the name of the network interface; without it the one of the loopback address.
 */
public class Multicast {
    private static final int RECEIVERS = 3, CHUNK = 1024, CHUNKS = 512, LEFT_OUT = 77, ROUNDS = 100, END = Integer.MAX_VALUE;
    /** All receivers have the same STag, so one datagram names the place in each. */
    private static final int STAG = 0x5EED;
    // An answer: receiver, round, then a byte for each chunk, which is 1 if it came.
    private static final int ROUND = 8, CAME = 16, ANSWER = CAME + CHUNKS;
    private static final Duration PATIENCE = Duration.ofMillis(500), TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] arguments) throws Exception {
        String network = arguments.length > 0 ? arguments[0]
                : NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()).getName();
        DdpOptions options = DdpOptions.DEFAULT.withNetworkInterface(network).withPayload(CHUNK);
        InetSocketAddress group = new InetSocketAddress(InetAddress.getByName("239.255.77.20"), 0);
        try (var threads = Executors.newCachedThreadPool(); Arena arena = Arena.ofShared(); DdpContext context = DdpContext.open()) {
            MemorySegment data = arena.allocate(CHUNKS * CHUNK, 8);
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                data.asSlice(chunk * CHUNK, CHUNK).fill((byte) (chunk + chunk / 256));
            }
            List<Future<MemorySegment>> copies = new ArrayList<>();
            for (int i = 0; i < RECEIVERS; i++) {
                DdpDatagramSocket socket = context.bind(context.newGroup(), group, options);
                // The first member picks the port.
                group = new InetSocketAddress(group.getAddress(), socket.localAddress().getPort());
                MemorySegment answer = arena.allocate(ANSWER, 8);
                answer.set(ValueLayout.JAVA_LONG, 0, i);
                copies.add(threads.submit(() -> receive(socket, arena.allocate(CHUNKS * CHUNK, 8), answer)));
            }
            DdpSocket sender = context.connect(DdpTransport.UDP, group, options, TIMEOUT);
            System.out.println(send(sender, data, arena.allocate(RECEIVERS * ANSWER, 8)));
            for (var copy : copies) {
                if (data.mismatch(copy.get(60, TimeUnit.SECONDS)) != -1) {
                    throw new IllegalStateException("a receiver has other data");
                }
            }
            System.out.println(RECEIVERS + " receivers have the data");
        }
    }

    private static MemorySegment receive(DdpDatagramSocket socket, MemorySegment memory, MemorySegment answer) {
        socket.register(memory, BufferAttributes.DEFAULT.withStag(STAG), (offset, length) -> {
            if (offset % CHUNK == 0 && length == CHUNK) {
                answer.set(ValueLayout.JAVA_BYTE, CAME + offset / CHUNK, (byte) 1);
            }
        });
        Indication indication = socket.newIndication();
        // The last notification can be lost too: then this ends after the time-out.
        while (socket.receive(indication, TIMEOUT)) {
            if (indication.kind() == Indication.Kind.ERROR) {
                throw indication.failure();
            } else if (indication.messageId() == END) {
                break;
            }
            answer.set(ValueLayout.JAVA_LONG, ROUND, indication.messageId());
            socket.send(indication.source(), answer, 0, ANSWER);
        }
        return memory;
    }

    private static String send(DdpSocket socket, MemorySegment data, MemorySegment answers) {
        RegisteredBuffer buffer = socket.register(answers);
        for (int i = 0; i < RECEIVERS; i++) {
            socket.tryPostReceive(buffer, i * ANSWER, ANSWER);
        }
        Indication indication = socket.newIndication();
        BitSet wanted = new BitSet();
        wanted.set(0, CHUNKS);
        for (int round = 1; round <= ROUNDS; round++) {
            for (int chunk = wanted.nextSetBit(0); chunk >= 0; chunk = wanted.nextSetBit(chunk + 1)) {
                if (round > 1 || chunk != LEFT_OUT) {
                    socket.sendDdp(data, chunk * CHUNK, CHUNK, STAG, chunk * CHUNK, DdpSocket.ATOMIC, 0);
                }
            }
            socket.sendDdp(data, 0, 0, STAG, 0, DdpSocket.NOTIFY, round);
            wanted.clear();
            BitSet answered = new BitSet();
            while (answered.cardinality() < RECEIVERS && socket.receive(indication, PATIENCE)) {
                if (indication.kind() == Indication.Kind.ERROR) {
                    throw indication.failure();
                }
                MemorySegment answer = answers.asSlice(indication.offset(), ANSWER);
                long id = answer.get(ValueLayout.JAVA_LONG, 0);
                if (indication.length() == ANSWER && id >= 0 && id < RECEIVERS && answer.get(ValueLayout.JAVA_LONG, ROUND) == round) {
                    answered.set((int) id);
                    for (int chunk = 0; chunk < CHUNKS; chunk++) {
                        wanted.set(chunk, wanted.get(chunk) || answer.get(ValueLayout.JAVA_BYTE, CAME + chunk) == 0);
                    }
                }
                socket.tryPostReceive(buffer, indication.offset(), ANSWER);
            }
            if (answered.cardinality() == RECEIVERS && wanted.isEmpty()) {
                socket.sendDdp(data, 0, 0, STAG, 0, DdpSocket.NOTIFY, END);
                return "sender: " + CHUNKS + " chunks in " + round + " rounds";
            }
        }
        throw new IllegalStateException("gave up after " + ROUNDS + " rounds");
    }
}

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.panamaverbs.*;
import org.panamaverbs.cm.*;

/**
 * A key-value store. Clients get values by one-sided Reads: the program of the server takes no part in a get. Look at put, which changes
 * a slot while clients Read it (and pauses in the middle, so that they do), and at get, which repeats a Read that was torn.
 */
public class KeyValue {
    // A slot: key (0 if empty), version (how often it was put), 13 words of value, checksum of all before.
    private static final int CLIENTS = 3, GETS = 1_000, KEYS = 64, SLOTS = 128, SLOT = 128, VERSION = 8, CHECKSUM = 120;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments.length > 0 ? arguments[0] : "127.0.0.1", 0);
        try (var threads = Executors.newCachedThreadPool(); Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open()) {
            Device device = verbs.device();
            Listener listener = ConnectionManager.of(device).listen(address, CLIENTS);
            var server = threads.submit(() -> serve(device, listener, arena.allocate(SLOTS * SLOT, 4096)));
            Callable<String> client = () -> get(device, listener.address(), arena.allocate(SLOT, 8), Completions.allocate(1));
            for (var result : threads.invokeAll(Collections.nCopies(CLIENTS, client), 60, TimeUnit.SECONDS)) {
                System.out.println(result.get());
            }
            System.out.println(server.get(60, TimeUnit.SECONDS));
        }
    }

    private static String serve(Device device, Listener listener, MemorySegment table) throws InterruptedException {
        for (int key = 1; key <= KEYS; key++) {
            put(table, key, 1);
        }
        try (ProtectionDomain domain = device.allocateProtectionDomain();
                MemoryRegion region = domain.register(table, Access.REMOTE_READ);
                CompletionQueue queue = device.createCompletionQueue(2 * CLIENTS)) {
            AtomicInteger connected = new AtomicInteger(CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                ConnectionRequest request = listener.awaitRequest(TIMEOUT);
                request.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(1, 1));
                Connection connection = request.accept(ConnectionParameters.defaults().withPrivateData(region.remote().encode()), TIMEOUT);
                connection.ended().thenRun(connection::close).thenRun(connected::decrementAndGet);
            }
            for (int i = 0; connected.get() > 0; i++) {
                put(table, 1 + i % KEYS, 2 + i / KEYS);
            }
            return "server: all " + CLIENTS + " clients have left";
        }
    }

    private static void put(MemorySegment table, int key, long version) throws InterruptedException {
        long slot = slot(key, 0);
        for (int i = 1; table.get(ValueLayout.JAVA_LONG, slot) != 0 && table.get(ValueLayout.JAVA_LONG, slot) != key; i++) {
            slot = slot(key, i);
        }
        table.set(ValueLayout.JAVA_LONG, slot, key);
        for (int word = VERSION; word < CHECKSUM; word += 8) {
            table.set(ValueLayout.JAVA_LONG, slot + word, version);
            Thread.sleep(word == SLOT / 2 ? 1 : 0);
        }
        CRC32C crc = new CRC32C();
        crc.update(table.asSlice(slot, CHECKSUM).asByteBuffer());
        table.set(ValueLayout.JAVA_LONG, slot + CHECKSUM, crc.getValue());
    }

    private static String get(Device device, InetSocketAddress server, MemorySegment sink, Completions completions) {
        try (ProtectionDomain domain = device.allocateProtectionDomain();
                MemoryRegion region = domain.register(sink, device.readSinkRights());
                CompletionQueue queue = device.createCompletionQueue(2);
                Connector connector = ConnectionManager.of(device).connector(server, TIMEOUT)) {
            QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(1, 1));
            Connection connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT);
            RemoteMemory table = RemoteMemory.decode(connection.privateData());
            SendRequest request = new SendRequest();
            ByteBuffer bytes = sink.asSlice(0, CHECKSUM).asByteBuffer();
            CRC32C crc = new CRC32C();
            int gets = 0, torn = 0, passed = 0;
            while (gets < GETS || torn == 0) {
                int key = 1 + gets * 37 % KEYS;
                pair.post(request.read(key).local(region, 0, SLOT).remote(table, slot(key, passed)).signaled());
                if (queue.await(completions, TIMEOUT) == 0 || !completions.next()) {
                    throw new VerbsTimeoutException("a Read takes longer than " + TIMEOUT);
                }
                connection.orThrow(completions);
                crc.reset();
                crc.update(bytes.rewind());
                long found = sink.get(ValueLayout.JAVA_LONG, 0);
                if (found == 0) {
                    throw new IllegalStateException("the table has no key " + key);
                } else if (found != key) {
                    passed++;
                } else if (sink.get(ValueLayout.JAVA_LONG, CHECKSUM) != crc.getValue()) {
                    torn++;
                } else if (sink.get(ValueLayout.JAVA_LONG, VERSION) != sink.get(ValueLayout.JAVA_LONG, CHECKSUM - 8)) {
                    throw new IllegalStateException("the checksum did not detect that key " + key + " is torn");
                } else {
                    gets++;
                    passed = 0;
                }
            }
            return "client: got " + gets + " values, and repeated " + torn + " torn Reads";
        }
    }

    /** The offset of the slot of a key; if other keys have it, of the i-th one behind. */
    private static long slot(int key, int i) {
        return Integer.remainderUnsigned((key * 0x9E37_79B9 >>> 16) + i, SLOTS) * SLOT;
    }
}

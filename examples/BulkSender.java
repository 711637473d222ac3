import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.panamaverbs.*;
import org.panamaverbs.cm.*;

/**
 * Bulk data by Writes over several connections, each with a ring of places for chunks in the memory of the receiver. Look at send: one
 * doorbell starts the Write of a chunk and the Send that announces it, and a place is used again only after its credit has come. Look at
 * receive: when the announcement completes, the chunk is in its place. The receiver checks the CRC, and gives the place back.
 */
public class BulkSender {
    private static final int LANES = 4, PLACES = 4, CHUNK = 256 << 10, CHUNKS = 128, NOTE = 16, OWN_NOTE = LANES * PLACES * NOTE;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** A connection, attached to its queue pair. The sender also counts the chunks that it sent, and the credits that it has. */
    private static final class Lane {
        Connection connection;
        RemoteMemory ring;
        int sent, credits = PLACES;
    }

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments.length > 0 ? arguments[0] : "127.0.0.1", 0);
        try (var threads = Executors.newCachedThreadPool(); Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open();
                Listener listener = ConnectionManager.of(verbs.device()).listen(address, LANES);
                ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                MemoryRegion data = domain.register(arena.allocate(CHUNKS * CHUNK, 4096));
                MemoryRegion rings = domain.register(arena.allocate(LANES * PLACES * CHUNK, 4096), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                MemoryRegion notes = domain.register(arena.allocate(OWN_NOTE + NOTE, 8), Access.LOCAL_WRITE);
                CompletionQueue ours = verbs.device().createCompletionQueue(LANES * PLACES * 5);
                CompletionQueue theirs = verbs.device().createCompletionQueue(LANES * PLACES * 5)) {
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                data.segment().asSlice(chunk * CHUNK, CHUNK).fill((byte) chunk);
            }
            var end = threads.submit(() -> receive(listener, QueuePairAttributes.of(theirs).withDepths(4 * PLACES, PLACES), rings, notes));
            System.out.println(send(listener.address(), QueuePairAttributes.of(ours).withDepths(4 * PLACES, PLACES), data, notes));
            System.out.println(end.get(60, TimeUnit.SECONDS));
        }
    }

    private static String send(InetSocketAddress receiver, QueuePairAttributes attributes, MemoryRegion data, MemoryRegion notes) {
        Lane[] lanes = new Lane[LANES];
        for (int i = 0; i < LANES; i++) {
            lanes[i] = new Lane();
            Connector connector = ConnectionManager.of(data.domain().device()).connector(receiver, TIMEOUT);
            QueuePair pair = connector.createQueuePair(data.domain(), attributes.withAttachment(lanes[i]));
            for (int credit = 0; credit < PLACES; credit++) {
                pair.post(new ReceiveRequest().receive(credit));
            }
            lanes[i].connection = connector.connect(ConnectionParameters.defaults(), TIMEOUT);
            lanes[i].ring = RemoteMemory.decode(lanes[i].connection.privateData());
        }
        Completions completions = Completions.allocate(LANES * PLACES);
        SendRequest request = new SendRequest();
        for (int sent = 0, credited = 0; credited < CHUNKS; credited++) {
            for (Lane lane : lanes) {
                QueuePair pair = lane.connection.queuePair();
                for (; sent < CHUNKS && lane.credits > 0; sent++, lane.sent++, lane.credits--) {
                    notes.segment().set(ValueLayout.JAVA_LONG, OWN_NOTE, sent);
                    notes.segment().set(ValueLayout.JAVA_LONG, OWN_NOTE + Long.BYTES, checksum(data, sent));
                    pair.post(request.write(sent).local(data, sent * CHUNK, CHUNK).remote(lane.ring, lane.sent % PLACES * CHUNK).more());
                    pair.post(request.send(sent).local(notes, OWN_NOTE, NOTE).inline().signaled());
                }
            }
            Lane lane = awaitReceive(attributes.receiveQueue(), completions);
            lane.connection.queuePair().post(new ReceiveRequest().receive(completions.id()));
            lane.credits++;
        }
        return "sender: " + CHUNKS + " chunks of " + CHUNK + " bytes over " + LANES + " connections";
    }

    private static String receive(Listener listener, QueuePairAttributes attributes, MemoryRegion rings, MemoryRegion notes) {
        ReceiveRequest receive = new ReceiveRequest();
        for (int i = 0; i < LANES; i++) {
            Lane lane = new Lane();
            ConnectionRequest request = listener.awaitRequest(TIMEOUT);
            QueuePair pair = request.createQueuePair(rings.domain(), attributes.withAttachment(lane));
            for (int place = i * PLACES; place < (i + 1) * PLACES; place++) {
                pair.post(receive.receive(place).local(notes, place * NOTE, NOTE));
            }
            byte[] ring = rings.remote(i * PLACES * CHUNK, PLACES * CHUNK).encode();
            lane.connection = request.accept(ConnectionParameters.defaults().withPrivateData(ring), TIMEOUT);
        }
        Completions completions = Completions.allocate(LANES * PLACES);
        SendRequest request = new SendRequest();
        for (int received = 0; received < CHUNKS; received++) {
            QueuePair pair = awaitReceive(attributes.receiveQueue(), completions).connection.queuePair();
            // The receives of a connection complete in the order of its places.
            int place = (int) completions.id();
            if (notes.segment().get(ValueLayout.JAVA_LONG, place * NOTE + Long.BYTES) != checksum(rings, place)) {
                throw new IllegalStateException("chunk " + notes.segment().get(ValueLayout.JAVA_LONG, place * NOTE) + " is damaged");
            }
            pair.post(receive.receive(place).local(notes, place * NOTE, NOTE));
            pair.post(request.send(place).signaled());
        }
        return "receiver: " + CHUNKS + " chunks are whole";
    }

    private static Lane awaitReceive(CompletionQueue queue, Completions completions) {
        while (completions.next() || queue.await(completions, TIMEOUT) > 0 && completions.next()) {
            Lane lane = (Lane) completions.attachment();
            lane.connection.orThrow(completions);
            if (completions.isReceive()) {
                return lane;
            }
        }
        throw new VerbsTimeoutException("nothing came in " + TIMEOUT);
    }

    private static long checksum(MemoryRegion region, int chunk) {
        CRC32C crc = new CRC32C();
        crc.update(region.segment().asSlice(chunk * CHUNK, CHUNK).asByteBuffer());
        return crc.getValue();
    }
}

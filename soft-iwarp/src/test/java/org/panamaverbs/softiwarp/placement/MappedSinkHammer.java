package org.panamaverbs.softiwarp.placement;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Segment;

/**
 * A process that uses a mapped file with CRCs in each way that there is ({@link Use}), while another thread cuts the file short and makes
 * it long again all the time. A connection may end each time; the process must not. Run by {@link MappedSinkTest}.
 */
final class MappedSinkHammer {
    /** So many connections of each use must have been ended by a cut, and so many operations of each must have succeeded. */
    static final int LEAST = 3;
    private static final int PAYLOAD = 60_000;
    /** FPDUs that one call of the peer sends. */
    private static final int BATCH = 16;
    private static final long LENGTH = (long) PAYLOAD * BATCH;
    /** The process goes on until there was a cut in so many milliseconds on average. A cut takes a quarter of one, with a busy disk far more. */
    static final long MILLIS_OF_A_CUT = 5;
    private static final long LONG_NANOS = 400_000;
    /** One moment in so many is longer by twice this factor: without a compiler, an operation takes longer than the other moments last. */
    private static final int SELDOM = 8;
    private static final long SHORT_NANOS = 100_000;
    /** A machine under load may take longer than it was told until all uses have met enough cuts. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /** The role of the mapped file for a connection. */
    enum Use {
        /** The peer writes to it. */
        WRITES,
        /** The peer reads from it, writes to it without alignment, and adds to a number in it. */
        ANSWERS,
        /** The receives that are posted lie in it. */
        RECEIVES,
        /** This side's own Reads bring data into it. */
        READS;

        int connections;
        int ended;
        long done;

        boolean isEnough() {
            return ended >= LEAST && done >= LEAST;
        }
    }

    private final Host host;
    private final MemoryRegion sink;
    private final long end;
    private final long limit;
    private final long leastCuts;
    private volatile boolean over;
    private volatile int cuts;

    private MappedSinkHammer(Host host, MemoryRegion sink, long millis) {
        this.host = host;
        this.sink = sink;
        end = System.nanoTime() + millis * 1_000_000;
        limit = end + PATIENCE_NANOS;
        leastCuts = millis / MILLIS_OF_A_CUT;
    }

    /** Arguments: the transport, the file, for how many milliseconds, and whether each CRC is checked before its FPDU is placed. */
    public static void main(String[] arguments) throws Exception {
        int cuts;
        try (Host host = new Host(arguments[0], "verify-before-place", arguments[3]);
                RandomAccessFile file = new RandomAccessFile(Path.of(arguments[1]).toFile(), "rw")) {
            file.setLength(LENGTH);
            MemorySegment mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, host.arena);
            MemoryRegion sink = host.domain.register(mapped, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ,
                    Access.REMOTE_ATOMIC);
            cuts = new MappedSinkHammer(host, sink, Long.parseLong(arguments[2])).hammer(file);
        }
        StringBuilder uses = new StringBuilder();
        for (Use each : Use.values()) {
            uses.append(", ").append(each).append(": ").append(each.connections).append(" connections, ").append(each.ended)
                    .append(" ended by a cut, ").append(each.done).append(" operations");
        }
        System.out.println("survived " + cuts + " cuts" + uses);
    }

    /** Returns the number of cuts. */
    private int hammer(RandomAccessFile file) throws Exception {
        CompletableFuture<Integer> cutting = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                cutting.complete(cut(file));
            } catch (IOException | RuntimeException e) {
                cutting.completeExceptionally(e);
            }
        });
        byte[] writes = writes();
        try {
            for (int i = 0; goesOn(); i++) {
                serve(Use.values()[i % Use.values().length], writes);
            }
        } finally {
            over = true;
        }
        return Host.get(cutting);
    }

    private boolean goesOn() {
        long now = System.nanoTime();
        boolean enough = cuts >= leastCuts;
        for (Use each : Use.values()) {
            enough &= each.isEnough();
        }
        return now < end || !enough && now < limit;
    }

    private byte[] writes() {
        byte[] all = new byte[0];
        for (int i = 0; i < BATCH; i++) {
            all = Forge.join(all, Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, sink.remoteKey(),
                    sink.address() + (long) i * PAYLOAD, Forge.payload(PAYLOAD)), true));
        }
        return all;
    }

    /** Short for a moment, then long for another; neither moment is the same twice. */
    private int cut(RandomAccessFile file) throws IOException {
        Random random = new Random(1);
        while (!over) {
            pass(random.nextLong(LONG_NANOS) * (random.nextInt(SELDOM) == 0 ? 2 * SELDOM : 1));
            file.setLength(0);
            pass(random.nextLong(SHORT_NANOS));
            file.setLength(LENGTH);
            cuts = cuts + 1;
        }
        return cuts;
    }

    private static void pass(long nanos) {
        for (long start = System.nanoTime(); System.nanoTime() - start < nanos;) {
            Thread.onSpinWait();
        }
    }

    /** One connection, to its end. */
    private void serve(Use use, byte[] writes) throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End server = Host.get(accepted);
            use.connections++;
            try {
                // The responder sends nothing before it has received something.
                peer.send(Forge.ready(true));
                int sequence = 0;
                while (goesOn() && server.connection.isConnected()) {
                    sequence = switch (use) {
                        case WRITES -> {
                            peer.send(writes);
                            yield 0;
                        }
                        case ANSWERS -> answers(peer, sequence);
                        case RECEIVES -> receives(peer, server, sequence);
                        case READS -> reads(peer, server);
                    };
                }
            } catch (IOException e) {
                // The connection has ended, as it may.
            }
            // Of Writes, the peer hears nothing.
            use.done += use == Use.WRITES ? server.queuePair.statistics().segmentsReceived().getAsLong() - 1 : 0;
            use.ended += goesOn() || !server.connection.isConnected() ? 1 : 0;
            server.connection.close();
        }
    }

    /** Has a Read, a Write without alignment and a fetch-and-add answered, or hears that the connection ends. */
    private int answers(RawPeer peer, int before) throws IOException {
        int sequence = before;
        byte[] read = Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, ++sequence, 0,
                Forge.readRequest(5, 0, PAYLOAD, sink.remoteKey(), sink.address() + 8 * sequence));
        byte[] write = Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, sink.remoteKey(), sink.address() + 3, Forge.payload(9000 + 7));
        byte[] atomic = Forge.untagged(Forge.LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, ++sequence, 0,
                Forge.atomicRequest(0, sequence, sink.remoteKey(), sink.address() + LENGTH - 8, 1, 0, 0, -1));
        peer.send(Forge.join(Forge.fpdu(read, true), Forge.fpdu(write, true), Forge.fpdu(atomic, true)));
        for (Segment answer = peer.next(); answer != null; answer = peer.next()) {
            if (answer.queue() == 3 && (answer.control() & 0x80) == 0) {
                Use.ANSWERS.done++;
                return sequence;
            }
        }
        throw new IOException("the connection has ended");
    }

    /** Sends to receives in the file. */
    private int receives(RawPeer peer, Host.End server, int before) throws IOException {
        byte[] all = new byte[0];
        for (int i = 0; i < BATCH; i++) {
            server.queuePair.post(new ReceiveRequest().receive(i).local(sink, (long) i * PAYLOAD, PAYLOAD));
            all = Forge.join(all,
                    Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, before + i + 1, 0, Forge.payload(PAYLOAD)), true));
        }
        peer.send(all);
        for (int i = 0; i < BATCH; i++) {
            succeed(Use.RECEIVES, server);
        }
        return before + BATCH;
    }

    /** Answers Reads of this side, whose sink is the file. */
    private int reads(RawPeer peer, Host.End server) throws IOException {
        for (int i = 0; i < BATCH; i++) {
            // Any key: the peer answers what it likes.
            server.queuePair.post(new SendRequest().read(i).local(sink, (long) i * PAYLOAD, PAYLOAD)
                    .remote(new RemoteMemory(0, 7, PAYLOAD), 0).signaled());
        }
        for (int i = 0; i < BATCH; i++) {
            Segment request = peer.next();
            if (request == null || request.isTagged() || request.queue() != 1) {
                throw new IOException("the connection has ended");
            }
            ByteBuffer fields = ByteBuffer.wrap(request.payload());
            peer.send(Forge.fpdu(
                    Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, fields.getInt(0), fields.getLong(4), Forge.payload(PAYLOAD)),
                    true));
            succeed(Use.READS, server);
        }
        return 0;
    }

    private static void succeed(Use use, Host.End server) throws IOException {
        if (!server.next().isSuccess()) {
            throw new IOException("the connection has ended: " + server.completions().status());
        }
        use.done++;
    }
}

package org.panamaverbs.softiwarp.placement;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Segment;

/**
 * A process that lets a peer write with CRCs into a mapped file, read from it and add to a number in it, which another thread cuts short and makes long again all the time. A
 * connection may end each time; the process must not. Run by {@link MappedSinkTest}.
 */
final class MappedSinkHammer {
    private static final int PAYLOAD = 60_000;
    /** FPDUs that one call of the peer sends. */
    private static final int BATCH = 16;
    private static final long LENGTH = (long) PAYLOAD * BATCH;
    private static final long LONG_NANOS = 400_000;
    private static final long SHORT_NANOS = 100_000;

    private MappedSinkHammer() {
    }

    /** Arguments: the transport, the file, for how many milliseconds, and whether each CRC is checked before its FPDU is placed. */
    public static void main(String[] arguments) throws Exception {
        int connections = 0;
        int cuts;
        try (Host host = new Host(arguments[0], "verify-before-place", arguments[3]);
                RandomAccessFile file = new RandomAccessFile(Path.of(arguments[1]).toFile(), "rw")) {
            long end = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000;
            file.setLength(LENGTH);
            MemorySegment mapped = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, host.arena);
            MemoryRegion sink = host.domain.register(mapped, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ,
                    Access.REMOTE_ATOMIC);
            CompletableFuture<Integer> cutting = new CompletableFuture<>();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    cutting.complete(cut(file, end));
                } catch (IOException | RuntimeException e) {
                    cutting.completeExceptionally(e);
                }
            });
            byte[] writes = writes(sink);
            while (System.nanoTime() < end) {
                serve(host, connections % 2 == 0 ? writes : null, sink, end);
                connections++;
            }
            cuts = Host.get(cutting);
        }
        System.out.println("survived " + cuts + " cuts and " + connections + " connections");
    }

    private static byte[] writes(MemoryRegion sink) {
        byte[] all = new byte[0];
        for (int i = 0; i < BATCH; i++) {
            all = Forge.join(all, Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, sink.remoteKey(),
                    sink.address() + (long) i * PAYLOAD, Forge.payload(PAYLOAD)), true));
        }
        return all;
    }

    /** Has a Read, a Write without alignment and a fetch-and-add answered, or hears that the connection ends. */
    private static int answers(RawPeer peer, MemoryRegion sink, int before) throws IOException {
        int sequence = before;
        byte[] read = Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, ++sequence, 0,
                Forge.readRequest(5, 0, PAYLOAD, sink.remoteKey(), sink.address() + 8 * sequence));
        byte[] write = Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, sink.remoteKey(), sink.address() + 3, Forge.payload(9000 + 7));
        byte[] atomic = Forge.untagged(Forge.LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, ++sequence, 0,
                Forge.atomicRequest(0, sequence, sink.remoteKey(), sink.address() + LENGTH - 8, 1, 0, 0, -1));
        peer.send(Forge.join(Forge.fpdu(read, true), Forge.fpdu(write, true), Forge.fpdu(atomic, true)));
        for (Segment answer = peer.next(); answer != null; answer = peer.next()) {
            if (answer.queue() == 3 && (answer.control() & 0x80) == 0) {
                return sequence;
            }
        }
        throw new IOException("the connection has ended");
    }

    /** Short for a moment, then long for another; neither moment is the same twice. */
    private static int cut(RandomAccessFile file, long end) throws IOException {
        Random random = new Random(1);
        int cuts = 0;
        while (System.nanoTime() < end) {
            pass(random.nextLong(LONG_NANOS));
            file.setLength(0);
            pass(random.nextLong(SHORT_NANOS));
            file.setLength(LENGTH);
            cuts++;
        }
        return cuts;
    }

    private static void pass(long nanos) {
        for (long start = System.nanoTime(); System.nanoTime() - start < nanos;) {
            Thread.onSpinWait();
        }
    }

    /** One connection, to its end. */
    private static void serve(Host host, byte[] writes, MemoryRegion sink, long end) throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End server = Host.get(accepted);
            int sequence = 0;
            while (System.nanoTime() < end && server.connection.isConnected()) {
                if (writes != null) {
                    peer.send(writes);
                } else {
                    sequence = answers(peer, sink, sequence);
                }
            }
            server.connection.close();
        } catch (IOException e) {
            // The connection has ended, as it may.
        }
    }
}

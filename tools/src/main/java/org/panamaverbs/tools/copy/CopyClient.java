package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairStatistics;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Printable;
import org.panamaverbs.tools.shared.Resources;

/** Moves one file to or from a {@link CopyServer} by Writes into, or Reads from, the server's mapping of it. */
final class CopyClient implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** The server may have to check a large file before it answers. */
    private static final Duration PATIENCE = Duration.ofSeconds(300);
    private static final int PIECE = 1 << 20;
    private static final int DEPTH = 16;

    private final Resources resources;
    private final Dialogue dialogue;
    private final Connection connection;
    private final boolean counted;

    /**
     * What was copied.
     *
     * @param bytes          of the file
     * @param crc            its CRC-32C
     * @param placedDirectly bytes that went straight into the target's mapping
     * @param staged         bytes that were copied there
     */
    record Copied(long bytes, int crc, long placedDirectly, long staged) {
    }

    CopyClient(Device device, InetSocketAddress server) {
        resources = new Resources(device, 2 * DEPTH + Dialogue.RECEIVES);
        counted = device.supports(Capability.PLACEMENT_STATISTICS);
        try {
            dialogue = new Dialogue(resources, Message.LENGTH, PATIENCE);
            try (Connector connector = ConnectionManager.of(device).connector(server, CONNECT_TIMEOUT)) {
                QueuePair pair = connector.createQueuePair(resources.domain(),
                        QueuePairAttributes.of(resources.queue()).withDepths(DEPTH + 2, Dialogue.RECEIVES));
                dialogue.prepare(pair);
                connection = connector.connect(ConnectionParameters.defaults(), CONNECT_TIMEOUT);
            }
            dialogue.connected(connection);
        } catch (RuntimeException e) {
            resources.close();
            throw e;
        }
    }

    /** Copies a file to the server; the consumer hears how many bytes are on their way. */
    Copied put(Path path, String name, LongConsumer progress) throws IOException {
        try (MappedFile file = MappedFile.source(path); MemoryRegion region = file.register(resources.domain())) {
            CopyServer.send(dialogue, Message.put(name, file.size()));
            Message grant = expect(Message.Kind.GRANT);
            RemoteMemory remote = new RemoteMemory(grant.second(), grant.word(), file.size());
            CompletableFuture<Integer> crc = CompletableFuture.supplyAsync(file::checksum);
            try {
                move(file.size(), progress,
                        (offset, length) -> dialogue.pair().postWrite(offset, region, offset, length, remote, offset, QueuePair.SIGNALED));
            } catch (RuntimeException e) {
                // Nobody may look at the mapping once it is gone; and a file that was cut short shows best in its checksum.
                join(crc);
                throw e;
            }
            CopyServer.send(dialogue, Message.done(join(crc)));
            Message result = expect(Message.Kind.RESULT);
            return new Copied(file.size(), result.word(), result.first(), result.second());
        }
    }

    /** Copies a file from the server; the consumer hears how many bytes are here. */
    Copied get(String name, Path path, LongConsumer size, LongConsumer progress) throws IOException {
        CopyServer.send(dialogue, Message.get(name));
        Message grant = expect(Message.Kind.GRANT);
        size.accept(grant.first());
        QueuePairStatistics before = counted ? dialogue.pair().statistics() : null;
        RemoteMemory remote = new RemoteMemory(grant.second(), grant.word(), grant.first());
        // REMOTE_WRITE: on iWARP the sink of a Read needs it.
        try (MappedFile file = MappedFile.target(path, grant.first())) {
            try (MemoryRegion region = file.register(resources.domain(), Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
                move(file.size(), progress,
                        (offset, length) -> dialogue.pair().postRead(offset, region, offset, length, remote, offset, QueuePair.SIGNALED));
            }
            QueuePairStatistics after = counted ? dialogue.pair().statistics() : null;
            CopyServer.send(dialogue, Message.done(0));
            int crc = file.checksum();
            Message result = expect(Message.Kind.RESULT);
            if (crc != result.word()) {
                throw new Failure(String.format("%s: the CRC-32C of what arrived is %08x, of the server's file %08x: not kept", path, crc,
                        result.word()));
            }
            file.finish();
            return new Copied(file.size(), crc, counted ? after.bytesPlacedDirectly() - before.bytesPlacedDirectly() : 0,
                    counted ? after.bytesStaged() - before.bytesStaged() : 0);
        }
    }

    private interface Piece {
        void post(long offset, long length);
    }

    private void move(long size, LongConsumer progress, Piece piece) {
        for (long offset = 0; offset < size;) {
            long length = Math.min(PIECE, size - offset);
            dialogue.awaitOutstanding(DEPTH - 1);
            piece.post(offset, length);
            dialogue.posted();
            offset += length;
            progress.accept(Math.max(0, offset - (long) dialogue.outstanding() * PIECE));
        }
        dialogue.awaitOutstanding(0);
        progress.accept(size);
    }

    private static int join(CompletableFuture<Integer> crc) {
        try {
            return crc.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private Message expect(Message.Kind kind) {
        Message message = CopyServer.receive(dialogue);
        if (message == null) {
            throw new Dialogue.Disconnected(dialogue.peer() + " has closed the connection");
        }
        if (message.kind() == Message.Kind.REFUSED) {
            throw new Failure(dialogue.peer() + " refuses: " + Printable.of(message.text()));
        }
        if (message.kind() != kind) {
            throw new Failure(dialogue.peer() + " was expected to say " + kind + ", not " + message.kind());
        }
        return message;
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}

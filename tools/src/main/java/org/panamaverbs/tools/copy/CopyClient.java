package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongConsumer;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.statistics.QueuePairStatistics;
import org.panamaverbs.tools.files.Checksum;
import org.panamaverbs.tools.files.DiskSpace;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Printable;
import org.panamaverbs.tools.shared.Resources;

/** Moves one file to or from a {@link CopyServer} by Writes into, or Reads from, the server's mapping of it. */
// Tested by CopyCommandTest, CopyServerTest.
final class CopyClient implements AutoCloseable {
    private static final int PIECE = 1 << 20;
    private static final int DEPTH = 16;

    private final Resources resources;
    private final Dialogue dialogue;
    private final Connection connection;

    /**
     * The file that was copied.
     *
     * @param bytes          of the file
     * @param crc            its CRC-32C
     * @param placedDirectly bytes that went straight into the target's mapping
     * @param staged         bytes that were copied there
     */
    record Copied(long bytes, int crc, long placedDirectly, long staged) {
    }

    /** @param patience how long the server may do nothing */
    CopyClient(Device device, InetSocketAddress server, Duration patience) {
        resources = new Resources(device, 2 * DEPTH + Dialogue.RECEIVES);
        try (Rollback undo = new Rollback()) {
            undo.add(resources::close);
            dialogue = new Dialogue(resources, Message.LENGTH, patience);
            dialogue.expect("a pverbs serve of this version");
            try (Connector connector = ConnectionManager.of(device).connector(server, patience)) {
                QueuePair pair = connector.createQueuePair(resources.domain(),
                        QueuePairAttributes.of(resources.queue()).withDepths(DEPTH + 2, Dialogue.RECEIVES));
                dialogue.prepare(pair);
                connection = connector.connect(ConnectionParameters.defaults(), patience);
            }
            dialogue.connected(connection);
            dialogue.measureTraffic(dialogue.pair(), 1);
            undo.commit();
        }
    }

    /** Copies a file to the server; the consumer hears how many bytes are on their way. */
    Copied put(Path path, String name, boolean replace, LongConsumer progress) throws IOException {
        try (MappedFile file = MappedFile.source(path)) {
            long size = file.size();
            CopyServer.send(dialogue, Message.put(name, size, replace));
            Checksum checksum = new Checksum();
            long offset = 0;
            do {
                RemoteMemory remote = granted(expect(Message.Kind.GRANT), size, offset);
                putWindow(file, checksum, offset, remote, progress);
                CopyServer.send(dialogue, Message.done(checksum.value()));
                offset += remote.length();
            } while (offset < size);
            Message result = expect(Message.Kind.RESULT);
            return new Copied(size, result.word(), result.first(), result.second());
        }
    }

    private void putWindow(MappedFile file, Checksum checksum, long start, RemoteMemory remote, LongConsumer progress) throws IOException {
        long length = remote.length();
        try (MemoryRegion region = file.register(resources.domain(), start, length, Set.of())) {
            RuntimeException failure = null;
            try {
                move(start, length, progress, (offset, size) -> dialogue.pair()
                        .post(dialogue.request().write(offset).local(region, offset, size).remote(remote, offset).signaled()));
            } catch (RuntimeException e) {
                failure = e;
            }
            // In any case: a file that was cut short shows best here.
            file.addTo(checksum, start, length);
            if (failure != null) {
                throw failure;
            }
        }
        progress.accept(start + length);
    }

    /** Copies a file from the server; the consumer hears how many bytes are here. */
    Copied get(String name, Path path, boolean replace, LongConsumer size, LongConsumer progress) throws IOException {
        CopyServer.send(dialogue, Message.get(name));
        Message grant = expect(Message.Kind.GRANT);
        long whole = grant.first();
        size.accept(whole);
        QueuePairStatistics before = dialogue.pair().statistics();
        try (MappedFile file = MappedFile.target(path, whole)) {
            DiskSpace.check(path, whole, 0);
            Checksum checksum = new Checksum();
            long offset = 0;
            while (true) {
                RemoteMemory remote = granted(grant, whole, offset);
                getWindow(file, offset, remote, progress);
                CopyServer.send(dialogue, Message.done(0));
                file.addTo(checksum, offset, remote.length());
                offset += remote.length();
                if (offset >= whole) {
                    break;
                }
                grant = expect(Message.Kind.GRANT);
            }
            QueuePairStatistics after = dialogue.pair().statistics();
            Message result = expect(Message.Kind.RESULT);
            if (checksum.value() != result.word()) {
                throw new Failure(String.format("%s: the CRC-32C of what arrived is %08x, of the server's file %08x: not kept", path,
                        checksum.value(), result.word()));
            }
            file.finish(replace);
            return new Copied(whole, checksum.value(), after.bytesPlacedDirectly().orElse(0) - before.bytesPlacedDirectly().orElse(0),
                    after.bytesStaged().orElse(0) - before.bytesStaged().orElse(0));
        }
    }

    private void getWindow(MappedFile file, long start, RemoteMemory remote, LongConsumer progress) throws IOException {
        long length = remote.length();
        // Part by part here, too: a server that speaks of a huge file does not take the disk.
        file.reserve(start, length, 0);
        try (MemoryRegion region = file.register(resources.domain(), start, length, resources.domain().device().readSinkRights())) {
            move(start, length, progress, (offset, size) -> dialogue.pair()
                    .post(dialogue.request().read(offset).local(region, offset, size).remote(remote, offset).signaled()));
        }
    }

    /** The memory of the next window. */
    private static RemoteMemory granted(Message grant, long size, long offset) {
        return new RemoteMemory(grant.second(), grant.word(), Message.window(size, offset));
    }

    private interface Piece {
        void post(long offset, long length);
    }

    private void move(long start, long size, LongConsumer progress, Piece piece) {
        for (long offset = 0; offset < size;) {
            long length = Math.min(PIECE, size - offset);
            dialogue.awaitOutstanding(DEPTH - 1);
            piece.post(offset, length);
            dialogue.posted();
            offset += length;
            progress.accept(start + Math.max(0, offset - (long) dialogue.outstanding() * PIECE));
        }
        dialogue.awaitOutstanding(0);
        progress.accept(start + size);
    }

    private Message expect(Message.Kind kind) {
        Message message = CopyServer.receive(dialogue);
        if (message == null) {
            throw new Dialogue.Disconnected(dialogue.peer() + " has closed the connection");
        }
        if (message.kind() == Message.Kind.REFUSED) {
            throw new Failure(Failure.Kind.REFUSED, dialogue.peer() + " refuses: " + Printable.of(message.text()));
        }
        if (message.kind() != kind) {
            throw new Failure(Failure.Kind.PEER, dialogue.peer() + " was expected to say " + kind + ", not " + message.kind());
        }
        return message;
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}

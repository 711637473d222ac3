package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.statistics.QueuePairStatistics;
import org.panamaverbs.tools.files.Checksum;
import org.panamaverbs.tools.files.DiskSpace;
import org.panamaverbs.tools.files.Leftovers;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Place;
import org.panamaverbs.tools.shared.Quantity;
import org.panamaverbs.tools.shared.Resources;
import org.panamaverbs.tools.shared.Service;

/** Serves the files of one folder to clients that Read them or Write new ones; the clients move the bytes. */
final class CopyServer implements AutoCloseable {
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    /** For one window: 28 KB/s. A client that is slower holds memory and disk for nothing. */
    private static final Duration WINDOW_TIMEOUT = Duration.ofMinutes(10);
    /** A client that has moved less than that between two looks has moved nothing. */
    private static final long STEP = 64 << 10;
    /** A slow network, or one that loses packets, may move nothing for some seconds. */
    private static final Service.Limits LIMITS = new Service.Limits(128, Duration.ofSeconds(10));

    private final Path folder;
    private final Policy policy;
    private final Service service;

    /**
     * The rights and limits of clients.
     *
     * @param writable    whether they may write files
     * @param replace     whether those may replace others
     * @param maximumSize the largest file that they may write, in bytes
     * @param keepFree    how many bytes of the disk stay free
     * @param patience    how long a client may do nothing
     */
    record Policy(boolean writable, boolean replace, long maximumSize, long keepFree, Duration patience) {
    }

    CopyServer(ConnectionManager connections, Path folder, Policy policy, InetSocketAddress address, PrintWriter out) {
        this(connections, folder, policy, address, LIMITS, out);
    }

    CopyServer(ConnectionManager connections, Path folder, Policy policy, InetSocketAddress address, Service.Limits limits,
            PrintWriter out) {
        this.folder = folder;
        this.policy = policy;
        service = new Service(connections, address, limits, out, "serving " + folder + (policy.writable() ? "" : " read-only") + ", ");
        Leftovers.in(folder).ifPresent(service::say);
    }

    /** Returns once it is closed. */
    void serve() {
        service.serve(this::serve);
    }

    InetSocketAddress address() {
        return service.address();
    }

    private void serve(ConnectionRequest request, Place place) {
        try (Resources resources = new Resources(request.device(), 16)) {
            Dialogue dialogue = new Dialogue(resources, Message.LENGTH, policy.patience());
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(8, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            try (Connection connection = request.accept(ConnectionParameters.defaults(), ACCEPT_TIMEOUT)) {
                dialogue.connected(connection);
                if (dialogue.measureTraffic(pair, STEP)) {
                    dialogue.mayLose(place);
                }
                serve(dialogue, resources, HostPort.text(request.remoteAddress()));
            }
        }
    }

    private void serve(Dialogue dialogue, Resources resources, String peer) {
        while (true) {
            Message asked = receive(dialogue);
            if (asked == null) {
                return;
            }
            String what = peer + ": " + asked.kind() + " " + asked.text();
            try {
                switch (asked.kind()) {
                    case PUT -> put(dialogue, resources, asked);
                    case GET -> get(dialogue, resources, asked);
                    default -> throw new Failure(Failure.Kind.PEER, "a request was expected, not " + asked.kind());
                }
                service.say(what + ": done");
            } catch (IOException | Failure e) {
                if (e instanceof Failure failure && (failure.kind() == Failure.Kind.TIMEOUT || !dialogue.isConnected())) {
                    // There is nobody to hear it.
                    throw new Failure(failure.kind(), asked.kind() + " " + asked.text() + ": " + failure.getMessage(), failure);
                }
                String why = e instanceof FileSystemException failed ? reason(failed, asked.replaces()) : e.getMessage();
                service.say(what + ": " + why);
                send(dialogue, Message.refused(why));
            } catch (Dialogue.Disconnected e) {
                service.say(what + ": " + e.getMessage() + " before it was done");
                return;
            }
        }
    }

    /** Without the server's path, which is not the client's business. */
    private static String reason(FileSystemException failed, boolean replaces) {
        return switch (failed) {
            case java.nio.file.NoSuchFileException e -> "no such file";
            case java.nio.file.AccessDeniedException e -> "permission denied";
            case FileAlreadyExistsException e -> "there is a file of that name: take another name, or "
                    + (replaces ? "start serve with --writable --replace" : "--replace, which serve must have, too");
            default -> failed.getReason() == null ? failed.getClass().getSimpleName() : failed.getReason();
        };
    }

    private void put(Dialogue dialogue, Resources resources, Message asked) throws IOException {
        Path path = Name.within(folder, asked.text());
        long size = asked.first();
        boolean replaces = policy.replace() && asked.replaces();
        checkPut(path, size, replaces);
        QueuePair pair = dialogue.pair();
        QueuePairStatistics before = pair.statistics();
        try (MappedFile file = MappedFile.target(path, size)) {
            DiskSpace.check(path, size, policy.keepFree());
            Checksum checksum = new Checksum();
            long offset = 0;
            do {
                long length = Message.window(size, offset);
                file.reserve(offset, length, policy.keepFree());
                int sent;
                try (MemoryRegion region = file.register(resources.domain(), offset, length,
                        Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE))) {
                    grant(dialogue, region, size);
                    try {
                        syncBefore(file, offset);
                    } finally {
                        // A client that is still writing would hear of the memory that it has lost, not of the disk.
                        sent = awaitDone(dialogue).word();
                    }
                }
                // The client can no longer change what is checked.
                file.addTo(checksum, offset, length);
                offset += length;
                if (checksum.value() != sent) {
                    throw new Failure(String.format("the CRC-32C of the first %d bytes is %08x here, %08x where they come from: not kept",
                            offset, checksum.value(), sent));
                }
            } while (offset < size);
            file.finish(replaces);
            QueuePairStatistics after = pair.statistics();
            send(dialogue, Message.result(checksum.value(), after.bytesPlacedDirectly().orElse(0) - before.bytesPlacedDirectly().orElse(0),
                    after.bytesStaged().orElse(0) - before.bytesStaged().orElse(0)));
        }
    }

    /** Puts the earlier windows on the disk while the client writes one, so that it does not wait for all of them in the end. */
    private static void syncBefore(MappedFile file, long offset) throws IOException {
        if (offset > 0) {
            file.sync();
        }
    }

    private void checkPut(Path path, long size, boolean replaces) throws IOException {
        if (!policy.writable()) {
            throw new Failure(Failure.Kind.REFUSED, "files here are for reading only; to write them, start serve with --writable");
        }
        if (size > policy.maximumSize()) {
            throw new Failure(Failure.Kind.REFUSED, size + " bytes are too many: a file may have " + Quantity.text(policy.maximumSize())
                    + " here; start serve with a larger --max-size");
        }
        // So that nothing is sent in vain; the name is taken only when the file is whole, and that is checked again.
        if (!replaces && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    private void get(Dialogue dialogue, Resources resources, Message asked) throws IOException {
        Path path = Name.within(folder, asked.text());
        try (MappedFile file = MappedFile.source(path, LinkOption.NOFOLLOW_LINKS)) {
            Checksum checksum = new Checksum();
            long offset = 0;
            do {
                long length = Message.window(file.size(), offset);
                try (MemoryRegion region = file.register(resources.domain(), offset, length, Set.of(Access.REMOTE_READ))) {
                    grant(dialogue, region, file.size());
                    try {
                        // While the client Reads.
                        file.addTo(checksum, offset, length);
                    } finally {
                        // A client that is still reading would hear of the memory that it has lost, not of the file.
                        awaitDone(dialogue);
                    }
                }
                offset += length;
            } while (offset < file.size());
            send(dialogue, Message.result(checksum.value(), 0, 0));
        }
    }

    /** Advertises a region. */
    private static void grant(Dialogue dialogue, MemoryRegion region, long size) {
        send(dialogue, Message.grant(region == null ? 0 : region.remoteKey(), size, region == null ? 0 : region.address()));
    }

    /** Waits until the client is done with a region. */
    private static Message awaitDone(Dialogue dialogue) {
        MemorySegment message = dialogue.receive(WINDOW_TIMEOUT);
        if (message == null) {
            throw new Dialogue.Disconnected(dialogue.peer() + " has closed the connection");
        }
        Message done = Message.decode(message);
        if (done.kind() != Message.Kind.DONE) {
            throw new Failure(Failure.Kind.PEER, "DONE was expected, not " + done.kind());
        }
        return done;
    }

    static Message receive(Dialogue dialogue) {
        var message = dialogue.receive();
        return message == null ? null : Message.decode(message);
    }

    static void send(Dialogue dialogue, Message message) {
        dialogue.send(message.encode(dialogue.outbound()));
    }

    @Override
    public void close() {
        service.close();
    }
}

package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairStatistics;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Place;
import org.panamaverbs.tools.shared.Resources;
import org.panamaverbs.tools.shared.Service;

/** Lends the files of one folder to clients that Read them or Write new ones; the clients move the bytes. */
final class CopyServer implements AutoCloseable {
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** A slow network, or one that loses packets, may move nothing for some seconds. */
    private static final Service.Limits LIMITS = new Service.Limits(64, Duration.ofSeconds(10));

    private final Device device;
    private final Path folder;
    private final Service service;

    CopyServer(Device device, Path folder, InetSocketAddress address, PrintWriter out) {
        this(device, folder, address, LIMITS, out);
    }

    CopyServer(Device device, Path folder, InetSocketAddress address, Service.Limits limits, PrintWriter out) {
        this.device = device;
        this.folder = folder;
        service = new Service(device, address, limits, out, "serving " + folder + ", ");
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
        try (Resources resources = new Resources(device, 16)) {
            Dialogue dialogue = new Dialogue(resources, Message.LENGTH, PATIENCE);
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(8, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            try (Connection connection = request.accept(ConnectionParameters.defaults(), ACCEPT_TIMEOUT)) {
                dialogue.connected(connection);
                if (device.supports(Capability.PLACEMENT_STATISTICS)) {
                    dialogue.measureProgressBy(() -> pair.statistics().bytesReceived() + pair.statistics().bytesSent());
                    // Without statistics, a client that Writes looks like one that does nothing.
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
                    default -> throw new Failure("a request was expected, not " + asked.kind());
                }
                service.say(what + ": done");
            } catch (IOException | Failure e) {
                String why = e instanceof FileSystemException failed ? reason(failed) : e.getMessage();
                service.say(what + ": " + why);
                send(dialogue, Message.refused(why));
            } catch (Dialogue.Disconnected e) {
                service.say(what + ": " + e.getMessage() + " before it was done");
                return;
            }
        }
    }

    /** Without the server's path, which is not the client's business. */
    private static String reason(FileSystemException failed) {
        return switch (failed) {
            case java.nio.file.NoSuchFileException e -> "no such file";
            case java.nio.file.AccessDeniedException e -> "permission denied";
            default -> failed.getReason() == null ? failed.getClass().getSimpleName() : failed.getReason();
        };
    }

    private void put(Dialogue dialogue, Resources resources, Message asked) throws IOException {
        Path path = Name.within(folder, asked.text());
        QueuePair pair = dialogue.pair();
        boolean counted = device.supports(Capability.PLACEMENT_STATISTICS);
        QueuePairStatistics before = counted ? pair.statistics() : null;
        try (MappedFile file = MappedFile.target(path, asked.first())) {
            Message done;
            try (MemoryRegion region = file.register(resources.domain(), Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
                done = grant(dialogue, region, file.size());
            }
            // The client can no longer change what is checked.
            int crc = file.checksum();
            if (crc != done.word()) {
                throw new Failure(String.format("the CRC-32C of what arrived is %08x, of what was sent %08x: not kept", crc, done.word()));
            }
            file.finish();
            QueuePairStatistics after = counted ? pair.statistics() : null;
            send(dialogue, Message.result(crc, counted ? after.bytesPlacedDirectly() - before.bytesPlacedDirectly() : 0,
                    counted ? after.bytesStaged() - before.bytesStaged() : 0));
        }
    }

    private void get(Dialogue dialogue, Resources resources, Message asked) throws IOException {
        Path path = Name.within(folder, asked.text());
        try (MappedFile file = MappedFile.source(path, LinkOption.NOFOLLOW_LINKS);
                MemoryRegion region = file.register(resources.domain(), Access.REMOTE_READ)) {
            grant(dialogue, region, file.size());
            send(dialogue, Message.result(file.checksum(), 0, 0));
        }
    }

    /** Lends a region and waits until the client is done with it. */
    private static Message grant(Dialogue dialogue, MemoryRegion region, long size) {
        send(dialogue, Message.grant(region == null ? 0 : region.remoteKey(), size, region == null ? 0 : region.address()));
        Message done = receive(dialogue);
        if (done == null) {
            throw new Dialogue.Disconnected(dialogue.peer() + " has closed the connection");
        }
        if (done.kind() != Message.Kind.DONE) {
            throw new Failure("DONE was expected, not " + done.kind());
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

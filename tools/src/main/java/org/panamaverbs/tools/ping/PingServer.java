package org.panamaverbs.tools.ping;

import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Place;
import org.panamaverbs.tools.shared.Resources;
import org.panamaverbs.tools.shared.Service;

/** {@code rping -s}: Reads the buffer that the client advertises, and Writes it to the one that the client advertises next. */
final class PingServer implements AutoCloseable {
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    /** rping's client may be stopped by hand for long. */
    static final Duration PATIENCE = Duration.ofMinutes(10);
    /** Our client waits for an answer as long as that. */
    private static final Service.Limits LIMITS = new Service.Limits(128, Duration.ofSeconds(10));

    private final Service service;
    private final Duration patience;
    private final boolean verbose;

    /** @param patience how long a client may do nothing */
    PingServer(ConnectionManager connections, InetSocketAddress address, Duration patience, PrintWriter out, boolean verbose) {
        this(connections, address, LIMITS, patience, out, verbose);
    }

    PingServer(ConnectionManager connections, InetSocketAddress address, Service.Limits limits, Duration patience, PrintWriter out,
            boolean verbose) {
        this.patience = patience;
        this.verbose = verbose;
        service = new Service(connections, address, limits, out, "");
    }

    /** Returns once it is closed or, if wanted, after the first client. */
    void serve(boolean once) {
        if (once) {
            service.serveOnce(this::serve);
        } else {
            service.serve(this::serve);
        }
    }

    InetSocketAddress address() {
        return service.address();
    }

    private void serve(ConnectionRequest request, Place place) {
        try (Resources resources = new Resources(request.device(), PingClient.DEPTH + Dialogue.RECEIVES)) {
            Dialogue dialogue = new Dialogue(resources, Advertisement.LENGTH, patience);
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(PingClient.DEPTH, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            String peer = HostPort.text(request.remoteAddress());
            try (Connection connection = request.accept(ConnectionParameters.defaults().withReads(1, 1), ACCEPT_TIMEOUT)) {
                dialogue.connected(connection);
                dialogue.measureTraffic(pair, 1);
                dialogue.mayLose(place);
                service.say(peer + " connected");
                service.say(peer + ": " + answer(dialogue, resources) + " rounds");
            }
        }
    }

    /** Answers until the client disconnects; returns the number of rounds. */
    private long answer(Dialogue dialogue, Resources resources) {
        long rounds = 0;
        try {
            MemoryRegion buffer = null;
            while (true) {
                Advertisement source = receive(dialogue);
                if (source == null) {
                    return rounds;
                }
                if (buffer == null || source.size() > buffer.length()) {
                    buffer = grow(resources, buffer, source.size());
                }
                fetch(dialogue, buffer, source);
                if (verbose) {
                    service.say(Text.read(buffer.segment().asSlice(0, source.size())));
                }
                goOn(dialogue, source.size());
                Advertisement sink = receive(dialogue);
                if (sink == null) {
                    return rounds;
                }
                long length = Math.min(source.size(), sink.size());
                dialogue.pair().post(dialogue.request().write(0).local(buffer, 0, length).remote(sink.remote(), 0).signaled());
                dialogue.posted();
                dialogue.awaitOutstanding(0);
                // It has its text, and may go before it has heard so.
                rounds++;
                goOn(dialogue, length);
            }
        } catch (Dialogue.Disconnected e) {
            return rounds;
        }
    }

    private static void fetch(Dialogue dialogue, MemoryRegion buffer, Advertisement source) {
        dialogue.pair().post(dialogue.request().read(0).local(buffer, 0, source.size()).remote(source.remote(), 0).signaled());
        dialogue.posted();
        dialogue.awaitOutstanding(0);
    }

    /** The client's next advertisement, or {@code null} if it has disconnected. */
    private static Advertisement receive(Dialogue dialogue) {
        MemorySegment message = dialogue.receive();
        if (message == null) {
            return null;
        }
        if (message.byteSize() != Advertisement.LENGTH) {
            throw new Failure(Failure.Kind.PEER, "the client does not speak rping's protocol: it sent " + message.byteSize()
                    + " bytes instead of " + Advertisement.LENGTH);
        }
        return Advertisement.decode(message);
    }

    /** The content of this message does not matter to rping; its length does. */
    private static void goOn(Dialogue dialogue, long size) {
        new Advertisement(0, 0, size).encode(dialogue.outbound());
        dialogue.send(Advertisement.LENGTH);
    }

    private static MemoryRegion grow(Resources resources, MemoryRegion old, long size) {
        if (size > PingCommand.MAXIMUM) {
            throw new Failure(Failure.Kind.PEER, "the client advertises " + size + " bytes; at most " + PingCommand.MAXIMUM + " are taken");
        }
        if (old != null) {
            old.close();
        }
        // Powers of two: a client that asks for a byte more each time does not fill the memory.
        long capacity = Math.max(4096, Long.highestOneBit(Math.max(1, size - 1)) << 1);
        return resources.register(capacity, 4096, resources.domain().device().readSinkRights());
    }

    @Override
    public void close() {
        service.close();
    }
}

package org.panamaverbs.tools.ping;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Resources;

/**
 * {@code rping -c}. The client advertises its text, and the server Reads it. Then the client advertises its sink, and the server Writes the
 * text there.
 */
final class PingClient implements AutoCloseable {
    /** The programs that answer. */
    static final String SERVER = "a pverbs ping --listen or rping -s";
    /** One request is under way at a time. */
    static final int DEPTH = 4;

    private final Resources resources;
    private final Dialogue dialogue;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final Connection connection;
    private final long size;

    /** @param patience how long the server may do nothing */
    PingClient(Device device, InetSocketAddress peer, long size, Duration patience) {
        this.size = size;
        resources = new Resources(device, DEPTH + Dialogue.RECEIVES);
        try (Rollback undo = new Rollback()) {
            undo.add(resources::close);
            dialogue = new Dialogue(resources, Advertisement.LENGTH, patience);
            dialogue.expect(SERVER);
            // iWARP: the source of a Read needs REMOTE_READ, and siw wants REMOTE_WRITE for whatever a peer touches, as rping registers it.
            source = resources.register(size, 4096, Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
            sink = resources.register(size, 4096, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            try (Connector connector = ConnectionManager.of(device).connector(peer, patience)) {
                QueuePair pair = connector.createQueuePair(resources.domain(),
                        QueuePairAttributes.of(resources.queue()).withDepths(DEPTH, Dialogue.RECEIVES));
                dialogue.prepare(pair);
                connection = connector.connect(ConnectionParameters.defaults().withReads(1, 1), patience);
            }
            dialogue.connected(connection);
            undo.commit();
        }
    }

    /**
     * One round.
     *
     * @return how long it took, in nanoseconds
     */
    long round(int number) {
        Text.fill(source.segment(), size, number);
        sink.segment().fill((byte) 0);
        long start = System.nanoTime();
        advertise(source);
        advertise(sink);
        // Emulated machines have clocks that go back.
        return Math.max(0, System.nanoTime() - start);
    }

    private void advertise(MemoryRegion region) {
        new Advertisement(region.address(), region.remoteKey(), size).encode(dialogue.outbound());
        dialogue.send(Advertisement.LENGTH);
        if (dialogue.receive() == null) {
            throw new Dialogue.Disconnected(dialogue.peer() + " has closed the connection");
        }
    }

    /** The name of the device that the connection goes over. */
    String device() {
        return connection.queuePair().domain().device().name();
    }

    boolean verify() {
        return source.segment().mismatch(sink.segment()) < 0;
    }

    /** The text that came back, as a terminal may show it. */
    String text() {
        return Text.read(sink.segment());
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}

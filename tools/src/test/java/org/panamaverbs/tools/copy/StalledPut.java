package org.panamaverbs.tools.copy;

import java.time.Duration;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/** A client that may write a file, and does nothing, or next to nothing. */
final class StalledPut implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final Resources resources = new Resources(verbs.device(), 16);
    private final Connection connection;
    private final QueuePair pair;
    private final MemoryRegion byteToWrite = resources.domain().register(resources.arena().allocate(1));
    private final RemoteMemory remote;

    StalledPut(String server, long size) {
        Dialogue dialogue = new Dialogue(resources, Message.LENGTH, PATIENCE);
        try (Connector connector = ConnectionManager.of(verbs.device()).connector(HostPort.parse(server, 0).resolve(), PATIENCE)) {
            pair = connector.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(4, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            connection = connector.connect(ConnectionParameters.defaults(), PATIENCE);
        }
        dialogue.connected(connection);
        CopyServer.send(dialogue, Message.put("stalled", size, true));
        Message grant = CopyServer.receive(dialogue);
        if (grant.kind() != Message.Kind.GRANT) {
            throw new IllegalStateException("it was not granted");
        }
        remote = new RemoteMemory(grant.second(), grant.word(), 1);
    }

    /** Writes one byte. */
    void dribble() {
        pair.tryPost(new SendRequest().write(0).local(byteToWrite, 0, 1).remote(remote, 0));
    }

    /** Writes to memory that was not granted: the server ends the connection. */
    void trespass() {
        RemoteMemory other = new RemoteMemory(remote.address(), ~remote.key(), 1);
        pair.post(new SendRequest().write(0).local(byteToWrite, 0, 1).remote(other, 0));
    }

    boolean isConnected() {
        return connection.isConnected();
    }

    /** Waits until the server has gone. */
    void awaitEnd() {
        connection.awaitDisconnected(PATIENCE);
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
        verbs.close();
    }
}

package org.panamaverbs.tools.shared;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Device;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Route;

/** A client that connects, and says nothing. */
public final class SilentClient implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Resources resources;
    private final Connection connection;

    public SilentClient(Device device, InetSocketAddress server) {
        this(device, Route.to(server));
    }

    SilentClient(Device device, Route route) {
        resources = new Resources(device, 4096);
        try (Connector connector = ConnectionManager.of(device).connector(route, PATIENCE)) {
            connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
            connection = connector.connect(ConnectionParameters.defaults(), PATIENCE);
        } catch (RuntimeException e) {
            resources.close();
            throw e;
        }
    }

    public boolean awaitEnd() {
        return connection.awaitDisconnected(PATIENCE);
    }

    public boolean isConnected() {
        return connection.isConnected();
    }

    @Override
    public void close() {
        connection.close();
        resources.close();
    }
}

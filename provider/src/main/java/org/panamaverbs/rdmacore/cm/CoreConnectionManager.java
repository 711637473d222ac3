package org.panamaverbs.rdmacore.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Waits;

/** Makes listeners and connectors. */
public final class CoreConnectionManager implements ConnectionManager {
    private final ConnectionScope scope;

    public CoreConnectionManager(ConnectionScope scope) {
        this.scope = scope;
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, int typeOfService) {
        Route.checkResolved(local);
        Route.checkTypeOfService(typeOfService);
        if (backlog < 1) {
            throw new IllegalArgumentException("the backlog is 1 or more, not " + backlog);
        }
        scope.children().check();
        scope.requireConnections();
        return scope.children().adopt(new CoreListener(scope, local, backlog, typeOfService));
    }

    @Override
    public Connector connector(Route route, Duration timeout) {
        Objects.requireNonNull(route);
        Waits.nanos(timeout);
        scope.children().check();
        scope.requireConnections();
        return CoreConnector.resolve(scope, route, timeout);
    }
}

package example.loopback;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Waits;

/** Makes listeners and connectors. */
final class LoopbackConnectionManager implements ConnectionManager {
    private static final int ADDRESS_IN_USE = 98;
    private static final int ADDRESS_NOT_AVAILABLE = 99;
    private static final int NETWORK_UNREACHABLE = 101;

    private final LoopbackDevice device;

    LoopbackConnectionManager(LoopbackDevice device) {
        this.device = device;
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, int typeOfService) {
        Route.checkResolved(local);
        Route.checkTypeOfService(typeOfService);
        if (backlog < 1) {
            throw new IllegalArgumentException("a backlog is 1 or more, not " + backlog);
        }
        if (!local.getAddress().isAnyLocalAddress() && !Fabric.isLocal(local)) {
            throw new SystemException("listen on " + Route.text(local) + ": EADDRNOTAVAIL, it is not an address of this machine",
                    ADDRESS_NOT_AVAILABLE);
        }
        try (var _ = Fabric.enter()) {
            InetSocketAddress address = local.getPort() == 0 ? new InetSocketAddress(local.getAddress(), Fabric.freePort()) : local;
            if (!Fabric.isFree(address)) {
                throw new SystemException("listen on " + Route.text(address) + ": EADDRINUSE, another listener has it", ADDRESS_IN_USE);
            }
            return new LoopbackListener(device, address, backlog);
        }
    }

    @Override
    public Connector connector(Route route, Duration timeout) {
        Waits.nanos(timeout);
        if (!Fabric.isLocal(route.remote())) {
            throw new SystemException("connect to " + Route.text(route.remote()) + ": ENETUNREACH, it is not an address of this machine",
                    NETWORK_UNREACHABLE);
        }
        if (route.local().isPresent() && !Fabric.isLocal(route.local().get())) {
            throw new SystemException("connect to " + route.describe() + ": EADDRNOTAVAIL, the latter is not an address of this machine",
                    ADDRESS_NOT_AVAILABLE);
        }
        return new LoopbackConnector(device, route);
    }
}

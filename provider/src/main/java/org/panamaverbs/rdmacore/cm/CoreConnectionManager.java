package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.panamaverbs.bindings.rdma.rdma_conn_param;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.Waits;

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
        return scope.children().adopt(new CoreListener(scope, local, backlog, typeOfService));
    }

    @Override
    public Connector connector(Route route, Duration timeout) {
        Objects.requireNonNull(route);
        Waits.nanos(timeout);
        scope.children().check();
        return CoreConnector.resolve(scope, route, timeout);
    }

    /** {@code struct rdma_conn_param}, with the depths of Reads that both sides agree on. */
    static MemorySegment parameters(Arena arena, ConnectionParameters wanted, int inboundReads, int outboundReads) {
        byte[] privateData = wanted.privateData();
        MemorySegment struct = rdma_conn_param.allocate(arena).fill((byte) 0);
        if (privateData.length > 0) {
            rdma_conn_param.private_data(struct, arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData));
        }
        rdma_conn_param.private_data_len(struct, (byte) privateData.length);
        rdma_conn_param.responder_resources(struct, (byte) inboundReads);
        rdma_conn_param.initiator_depth(struct, (byte) outboundReads);
        rdma_conn_param.retry_count(struct, (byte) wanted.retries());
        rdma_conn_param.rnr_retry_count(struct, (byte) wanted.receiverNotReadyRetries());
        return struct;
    }

    /** When a time limit that starts now is over. */
    static long deadline(Duration timeout) {
        // Half of a long's range, since deadlines are compared by difference.
        return System.nanoTime() + Math.min(Waits.nanos(timeout), Long.MAX_VALUE / 2);
    }
}

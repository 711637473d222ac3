package org.panamaverbs.rdmacore.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.bindings.rdma.rdma_conn_param;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.Waits;

/** Makes listeners and connectors. */
public final class CoreConnectionManager implements ConnectionManager {
    /** How often the peer is asked again: no limit for a receive that is not posted (7), the most for a lost answer. */
    private static final byte RETRIES = 7;

    private final ConnectingDevice device;

    public CoreConnectionManager(ConnectingDevice device) {
        this.device = device;
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog) {
        checkResolved(local);
        if (backlog < 1) {
            throw new IllegalArgumentException("the backlog is 1 or more, not " + backlog);
        }
        device.children().check();
        return device.children().adopt(new CoreListener(device, local, backlog));
    }

    @Override
    public Connector connector(InetSocketAddress remote, Duration timeout) {
        checkResolved(remote);
        Waits.nanos(timeout);
        device.children().check();
        return CoreConnector.resolve(device, remote, timeout);
    }

    private static void checkResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("unknown host \"" + address.getHostString() + "\": check its name, or use its address");
        }
    }

    /** {@code struct rdma_conn_param}. */
    static MemorySegment parameters(Arena arena, byte[] privateData, int inboundReads, int outboundReads) {
        MemorySegment struct = rdma_conn_param.allocate(arena).fill((byte) 0);
        if (privateData.length > 0) {
            rdma_conn_param.private_data(struct, arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData));
        }
        rdma_conn_param.private_data_len(struct, (byte) privateData.length);
        rdma_conn_param.responder_resources(struct, (byte) inboundReads);
        rdma_conn_param.initiator_depth(struct, (byte) outboundReads);
        rdma_conn_param.retry_count(struct, RETRIES);
        rdma_conn_param.rnr_retry_count(struct, RETRIES);
        return struct;
    }

    static void check(ConnectingDevice device, ConnectionParameters parameters) {
        checkPrivateData(device, parameters.privateData());
        int inbound = device.attributes().maximumInboundReads();
        int outbound = device.attributes().maximumOutboundReads();
        if (parameters.inboundReads() > inbound || parameters.outboundReads() > outbound) {
            throw new IllegalArgumentException("IRD and ORD are at most " + inbound + " and " + outbound + ", not "
                    + parameters.inboundReads() + " and " + parameters.outboundReads());
        }
    }

    static byte[] checkPrivateData(ConnectingDevice device, byte[] data) {
        if (data.length > device.attributes().maximumPrivateData()) {
            throw new IllegalArgumentException(
                    "private data has at most " + device.attributes().maximumPrivateData() + " bytes, not " + data.length);
        }
        return data;
    }

    /** When a time limit that starts now is over. */
    static long deadline(Duration timeout) {
        // Half of a long's range, since deadlines are compared by difference.
        return System.nanoTime() + Math.min(Waits.nanos(timeout), Long.MAX_VALUE / 2);
    }
}

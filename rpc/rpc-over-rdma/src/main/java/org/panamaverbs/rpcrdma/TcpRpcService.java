package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.panamaverbs.Configuration;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.gate.Acceptor;
import org.panamaverbs.rpcrdma.gate.Gate;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.limits.Descriptors;
import org.panamaverbs.rpcrdma.limits.ServiceCounts;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.rpcrdma.tcp.RecordMemory;
import org.panamaverbs.spi.support.Complaints;

/**
 * Serves programs of oncrpc4j over TCP (RFC 5531) within {@link ServiceLimits}, in the place of {@link org.dcache.oncrpc4j.rpc.OncRpcSvc},
 * which has no limits. It speaks to any client of ONC RPC. Use it for peers without RDMA; {@link RdmaRpcService} serves the same programs
 * over RDMA.
 *
 * {@snippet :
 * try (TcpRpcService service = TcpRpcService.builder().withRpcService(new OncRpcProgram(100003, 4), program)
 *         .listen(new InetSocketAddress("192.0.2.1", 2049))) {
 *     System.out.println("serving at " + service.address());
 * }
 * }
 *
 * <p>Each connection and each call has a platform thread for its time, and a {@linkplain OpaqueSegment segment} in its reply is sent
 * without a copy. There is no portmapper, no TLS, and there are no calls to clients.
 */
// Tested by TcpRpcServiceTest, ServiceLimitsTest.
public final class TcpRpcService implements AutoCloseable {
    private static final int BACKLOG = 128;
    /** The pause after a failure to accept. */
    private static final int REST_MILLIS = 100;
    private static final long PATIENCE_SECONDS = 5;

    private final Complaints complaints = new Complaints(TcpRpcService.class);
    private final Map<OncRpcProgram, RpcDispatchable> programs;
    private final ServiceLimits limits;
    private final int longestCall;
    private final Gate gate;
    private final RecordMemory memory = new RecordMemory();
    private final Set<TcpRpcTransport> transports = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("rpc-over-tcp-", 0).factory());
    private final ServerSocketChannel listener;
    private final InetSocketAddress address;
    private final Acceptor acceptor;

    private TcpRpcService(Builder builder, InetSocketAddress local) throws IOException {
        programs = Map.copyOf(builder.programs);
        limits = builder.limits == null ? ServiceLimits.of(Configuration.load()) : builder.limits;
        longestCall = builder.longestCall;
        RdmaRpcService.checkMemory(limits, longestCall);
        gate = new Gate(limits, Descriptors.quarter(1), System::nanoTime);
        listener = ServerSocketChannel.open();
        boolean bound = false;
        try {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(local, BACKLOG);
            listener.socket().setSoTimeout(Acceptor.TURN_MILLIS);
            address = (InetSocketAddress) listener.getLocalAddress();
            bound = true;
        } finally {
            if (!bound) {
                listener.close();
            }
        }
        acceptor = new Acceptor("rpc-over-tcp-acceptor", gate, new Door(), address, REST_MILLIS);
    }

    /**
     * Begins to describe a service.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Describes a service. */
    public static final class Builder {
        private static final int USUAL_CALL = 8 << 20;
        private final Map<OncRpcProgram, RpcDispatchable> programs = new HashMap<>();
        private ServiceLimits limits;
        private int longestCall = USUAL_CALL;

        private Builder() {
        }

        /**
         * Adds a program.
         *
         * @param program its number and version
         * @param handler answers calls; its calls run at the same time, also those of one connection
         * @return this
         */
        public Builder withRpcService(OncRpcProgram program, RpcDispatchable handler) {
            programs.put(Objects.requireNonNull(program), Objects.requireNonNull(handler));
            return this;
        }

        /**
         * Chooses limits in the place of those of the settings.
         *
         * @param chosen the limits
         * @return this
         */
        public Builder withLimits(ServiceLimits chosen) {
            limits = Objects.requireNonNull(chosen);
            return this;
        }

        /**
         * Limits a call; a peer that sends a longer one loses its connection. Usually 8 MiB.
         *
         * @param bytes 1,024 or more
         * @return this
         */
        public Builder withLongestCall(int bytes) {
            if (bytes < 1024) {
                throw new IllegalArgumentException("the longest call has 1,024 bytes or more, not " + bytes);
            }
            longestCall = bytes;
            return this;
        }

        /**
         * Starts the service.
         *
         * @param local an address of this machine; port 0 takes a free one
         * @return the service, which accepts connections
         * @throws IOException if the address cannot be listened at
         */
        public TcpRpcService listen(InetSocketAddress local) throws IOException {
            return new TcpRpcService(this, local);
        }
    }

    /**
     * The address at which it listens.
     *
     * @return the address, with the port that was taken
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * What the limits did so far, and what peers hold now.
     *
     * @return a snapshot
     */
    public ServiceCounts counts() {
        return gate.counts();
    }

    private final class Door implements Acceptor.Door {
        @Override
        public boolean accept() throws IOException {
            try {
                serve(listener.socket().accept().getChannel());
            } catch (SocketTimeoutException e) {
                // Nobody came.
            }
            return true;
        }

        @Override
        public void close() {
            try {
                listener.close();
            } catch (IOException e) {
                complaints.warn("closing the service at {}: {}", Route.text(address), e);
            }
        }
    }

    private void serve(SocketChannel socket) throws IOException {
        Seat seat = null;
        boolean served = false;
        try {
            seat = gate.enter((InetSocketAddress) socket.getRemoteAddress());
            if (seat != null) {
                serve(socket, seat);
                served = true;
            }
        } finally {
            if (!served) {
                if (seat != null) {
                    seat.leave();
                }
                socket.close();
            }
        }
    }

    private void serve(SocketChannel socket, Seat seat) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        TcpRpcTransport transport = new TcpRpcTransport(socket, seat, memory, limits.calls(), longestCall);
        CallDispatcher dispatcher = new CallDispatcher(transport, transport::end, programs, threads);
        transports.add(transport);
        boolean begun = false;
        try {
            threads.execute(() -> {
                try {
                    transport.serve(dispatcher);
                } finally {
                    transports.remove(transport);
                }
            });
            begun = true;
        } finally {
            if (!begun) {
                transports.remove(transport);
            }
        }
    }

    /** Ends the service and its connections; waits up to 5 seconds for calls under way, which are interrupted. */
    @Override
    public void close() {
        acceptor.close();
        transports.forEach(TcpRpcTransport::close);
        threads.shutdownNow();
        try {
            threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

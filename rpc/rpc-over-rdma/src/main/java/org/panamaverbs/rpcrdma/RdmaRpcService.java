package org.panamaverbs.rpcrdma;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.gate.Acceptor;
import org.panamaverbs.rpcrdma.gate.Gate;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.limits.ServiceCounts;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.rpcrdma.link.Connecting;
import org.panamaverbs.rpcrdma.link.KeptRegistrations;
import org.panamaverbs.rpcrdma.link.LinkOptions;
import org.panamaverbs.rpcrdma.link.Links;
import org.panamaverbs.rpcrdma.link.VerbsLink;

/**
 * Serves programs of oncrpc4j over RDMA, in the place of {@link org.dcache.oncrpc4j.rpc.OncRpcSvc}:
 *
 * {@snippet :
 * try (RdmaRpcService service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults())
 *         .withRpcService(new OncRpcProgram(100003, 4), program)
 *         .listen(new InetSocketAddress("192.0.2.1", 20049))) {
 *     System.out.println("serving at " + service.address());
 * }
 * }
 */
// Tested by RoundTripTest, HostileClientTest.
public final class RdmaRpcService implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration TURN = Duration.ofMillis(Acceptor.TURN_MILLIS);
    /** The pause after a failure to accept. */
    private static final long REST_MILLIS = 1;

    private final RdmaRpcOptions options;
    private final Map<OncRpcProgram, RpcDispatchable> programs;
    private final ExecutorService executor;
    private final boolean ownExecutor;
    private final Executor dispatching;
    private final Gate gate;
    private final Listener listener;
    private final Links links = new Links("rpc-over-rdma-service");
    private final KeptRegistrations kept = new KeptRegistrations();
    private final Set<RdmaRpcTransport> transports = ConcurrentHashMap.newKeySet();
    private final Acceptor acceptor;

    private RdmaRpcService(Builder builder, InetSocketAddress local) {
        options = builder.options;
        programs = Map.copyOf(builder.programs);
        ownExecutor = builder.executor == null && !builder.sameThread;
        executor = ownExecutor ? Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("rpc-call-", 0).factory())
                : builder.executor;
        dispatching = builder.sameThread ? Runnable::run : executor;
        ServiceLimits limits = builder.limits == null ? ServiceLimits.of(builder.verbs.configuration()) : builder.limits;
        checkMemory(limits, options.messageSize());
        gate = new Gate(limits, Integer.MAX_VALUE, System::nanoTime);
        listener = ConnectionManager.of(builder.verbs).listen(local, BACKLOG);
        acceptor = new Acceptor("rpc-over-rdma-acceptor", gate, new Door(), listener.address(), REST_MILLIS);
    }

    /** A call that never finds room would wait for ever. */
    static void checkMemory(ServiceLimits limits, long longestCall) {
        if (limits.memory() < longestCall) {
            throw new IllegalArgumentException("the memory for calls, " + limits.memory() + " bytes, is less than the longest call, "
                    + longestCall + ": allow more (panamaverbs.rpc.memory), or shorter calls");
        }
    }

    /**
     * Begins to describe a service.
     *
     * @param verbs   open as long as the service is
     * @param options of all its connections; {@link RdmaRpcOptions#credits} is granted to each client
     * @return the builder
     */
    public static Builder builder(Verbs verbs, RdmaRpcOptions options) {
        return new Builder(Objects.requireNonNull(verbs), Objects.requireNonNull(options));
    }

    /** Describes a service. */
    public static final class Builder {
        private final Verbs verbs;
        private final RdmaRpcOptions options;
        private final Map<OncRpcProgram, RpcDispatchable> programs = new HashMap<>();
        private ExecutorService executor;
        private boolean sameThread;
        private ServiceLimits limits;

        private Builder(Verbs verbs, RdmaRpcOptions options) {
            this.verbs = verbs;
            this.options = options;
        }

        /**
         * Adds a program.
         *
         * @param program its number and version
         * @param handler answers calls
         * @return this
         */
        public Builder withRpcService(OncRpcProgram program, RpcDispatchable handler) {
            programs.put(Objects.requireNonNull(program), Objects.requireNonNull(handler));
            return this;
        }

        /**
         * Chooses the threads that programs run in. Without a choice each call has a platform thread for its time, which serves further
         * calls.
         *
         * @param service shut down by the caller, after the service is closed
         * @return this
         */
        public Builder withExecutor(ExecutorService service) {
            executor = Objects.requireNonNull(service);
            sameThread = false;
            return this;
        }

        /**
         * Runs programs in the thread that takes messages from the connections: a call is answered without a switch of threads. A program
         * must neither wait nor work long, since up to 8 connections share such a thread, and must not call a client back and wait for it.
         *
         * @return this
         */
        public Builder withSameThread() {
            executor = null;
            sameThread = true;
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
         * Starts the service.
         *
         * @param local an address of the device; port 0 takes a free one
         * @return the service, which accepts connections
         * @throws VerbsException if the address cannot be listened at
         */
        public RdmaRpcService listen(InetSocketAddress local) {
            return new RdmaRpcService(this, local);
        }
    }

    /**
     * The address at which it listens.
     *
     * @return the address, with the port that was taken
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * Keeps memory registered between replies: see {@link RdmaRpcTransport#keepRegistered}.
     *
     * @param memory native memory; its arena can be closed after {@link #release}, or after the service
     */
    public void keepRegistered(MemorySegment memory) {
        kept.keep(memory);
    }

    /**
     * Ends the effect of {@link #keepRegistered}. A reply that is being sent out of the memory keeps it registered until it is sent, and until
     * then its arena cannot be closed; the listener of {@link org.dcache.oncrpc4j.rpc.RpcCall#registerSendOnceListener} hears of that.
     *
     * @param memory the same segment
     */
    public void release(MemorySegment memory) {
        kept.release(memory);
    }

    /**
     * The connections now.
     *
     * @return their transports
     */
    public Set<RdmaRpcTransport> transports() {
        transports.removeIf(transport -> !transport.isOpen());
        return Set.copyOf(transports);
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
        public boolean accept() {
            try (ConnectionRequest request = listener.awaitRequest(TURN)) {
                RdmaRpcService.this.accept(request);
                return true;
            } catch (VerbsTimeoutException e) {
                // Nobody came.
                return true;
            } catch (ClosedException e) {
                return false;
            }
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    private void accept(ConnectionRequest request) {
        Seat seat = gate.enter(request.remoteAddress());
        if (seat == null) {
            request.reject(new byte[0]);
            return;
        }
        boolean accepted = false;
        try {
            accept(request, seat);
            accepted = true;
        } finally {
            if (!accepted) {
                seat.leave();
            }
        }
    }

    private void accept(ConnectionRequest request, Seat seat) {
        ConnectionReplies replies = new ConnectionReplies();
        RdmaRpcTransport transport = new RdmaRpcTransport(replies, kept, options.replySize());
        CallDispatcher dispatcher = new CallDispatcher(transport, transport::end, programs, dispatching);
        VerbsLink link = Connecting.accept(request, links, linkOptions(), kept, dispatcher, seat, transport::attach, ACCEPT_TIMEOUT);
        boolean added = false;
        try {
            transports.add(transport);
            link.connection().ended().whenComplete((end, failed) -> {
                seat.leave();
                transports.remove(transport);
                replies.end();
            });
            added = true;
        } finally {
            if (!added) {
                link.close();
            }
        }
    }

    private LinkOptions linkOptions() {
        EndpointOptions endpoint = new EndpointOptions(false, options.lowestVersion(), options.highestVersion(), options.backwardCredits(),
                options.credits(), options.messageSize(), options.chunkSegments(), options.readChunks(), options.writeChunks(),
                options.sendSize());
        int messages = options.credits() + options.backwardCredits() + RdmaRpcClient.SPARE;
        return new LinkOptions(options.sendSize(), options.receiveSize(), messages, messages, options.remoteInvalidation(), endpoint);
    }

    /** Ends the service and its connections. */
    @Override
    public void close() {
        acceptor.close();
        transports.forEach(RdmaRpcTransport::close);
        links.close();
        kept.clear();
        if (ownExecutor) {
            executor.close();
        }
    }
}

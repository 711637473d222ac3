package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.link.Connecting;
import org.panamaverbs.rpcrdma.link.KeptRegistrations;
import org.panamaverbs.rpcrdma.link.LinkOptions;
import org.panamaverbs.rpcrdma.link.Links;
import org.panamaverbs.rpcrdma.link.VerbsLink;
import org.panamaverbs.spi.support.Workers;

/**
 * Connects to services of ONC RPC over RDMA, in the place of {@link org.dcache.oncrpc4j.rpc.OncRpcClient}:
 *
 * {@snippet :
 * try (RdmaRpcClient client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults())) {
 *     RpcTransport transport = client.connect(new InetSocketAddress("192.0.2.1", 20049), Duration.ofSeconds(10));
 *     new RpcCall(100003, 4, new RpcAuthTypeNone(), transport).call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID);
 * }
 * }
 */
public final class RdmaRpcClient implements AutoCloseable {
    /** Receives and Sends beyond those of calls: properties, errors, and messages on their way. */
    static final int SPARE = 8;
    /** So many calls of the greatest length of a service are put together and served at once. */
    private static final int LONGEST_CALLS = 8;
    private final Verbs verbs;
    private final RdmaRpcOptions options;
    private final Links links = new Links("rpc-over-rdma-client");
    private final KeptRegistrations kept = new KeptRegistrations();
    private final Map<OncRpcProgram, RpcDispatchable> programs = new ConcurrentHashMap<>();
    private final Set<RdmaRpcTransport> transports = ConcurrentHashMap.newKeySet();
    private volatile Executor executor = Workers::execute;
    private volatile boolean closed;

    private RdmaRpcClient(Verbs verbs, RdmaRpcOptions options) {
        this.verbs = verbs;
        this.options = options;
    }

    /**
     * Makes one; it connects over any device of the provider that leads to the service.
     *
     * @param verbs   open as long as the client is
     * @param options of all its connections
     * @return the client
     */
    public static RdmaRpcClient open(Verbs verbs, RdmaRpcOptions options) {
        return new RdmaRpcClient(Objects.requireNonNull(verbs), Objects.requireNonNull(options));
    }

    /**
     * Adds a program that services can call over the connections that this client makes from now on (RFC 8167).
     *
     * @param program its number and version
     * @param handler answers calls, each in a thread of its own; it may wait
     * @return this
     */
    public RdmaRpcClient withRpcService(OncRpcProgram program, RpcDispatchable handler) {
        programs.put(program, handler);
        return this;
    }

    /**
     * Connects.
     *
     * @param remote  the service; Linux's NFS listens at port 20049
     * @param timeout the longest wait, more than 0
     * @return the transport, for calls of {@link org.dcache.oncrpc4j.rpc.RpcCall} and {@link PlacedCall}
     * @throws IOException if there is no connection; the cause says why
     */
    public RdmaRpcTransport connect(InetSocketAddress remote, Duration timeout) throws IOException {
        if (closed) {
            throw new IOException("the client is closed");
        }
        ConnectionReplies replies = new ConnectionReplies();
        RdmaRpcTransport transport = new RdmaRpcTransport(replies, kept, options.replySize());
        CallDispatcher dispatcher = new CallDispatcher(transport, transport::end, programs, executor);
        try {
            VerbsLink link = Connecting.connect(ConnectionManager.of(verbs), links, remote, linkOptions(), kept, dispatcher,
                    Seat.alone((long) LONGEST_CALLS * options.messageSize()), transport::attach, timeout);
            transports.add(transport);
            link.connection().ended().whenComplete((end, failed) -> {
                transports.remove(transport);
                replies.end();
            });
        } catch (VerbsException e) {
            // It names the service.
            throw new IOException(e.getMessage(), e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new IOException("no connection to " + Route.text(remote) + ": " + e.getMessage(), e);
        }
        delayFirstCall();
        return transport;
    }

    private void delayFirstCall() throws IOException {
        try {
            Thread.sleep(options.firstCallDelay());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException("interrupted while connecting");
        }
    }

    private LinkOptions linkOptions() {
        int granted = programs.isEmpty() ? 0 : options.backwardCredits();
        EndpointOptions endpoint = new EndpointOptions(true, options.lowestVersion(), options.highestVersion(), options.credits(), granted,
                options.messageSize(), options.chunkSegments(), options.readChunks(), options.writeChunks(), options.sendSize());
        int messages = options.credits() + options.backwardCredits() + SPARE;
        return new LinkOptions(options.sendSize(), options.receiveSize(), messages, messages, options.remoteInvalidation(), endpoint);
    }

    /** Ends all connections. */
    @Override
    public void close() {
        closed = true;
        transports.forEach(RdmaRpcTransport::close);
        links.close();
        kept.clear();
    }
}

package org.panamaverbs.nfs.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.CompletionHandler;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.nfs.server.compound.BufferPool;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Core;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.compound.Reply;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.file.FileOperations;
import org.panamaverbs.nfs.server.session.SessionOperations;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.server.state.Clients;
import org.panamaverbs.nfs.server.state.Grace;
import org.panamaverbs.nfs.server.state.Limits;
import org.panamaverbs.nfs.server.state.Opens;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.rpcrdma.UpperLayerBinding;
import org.panamaverbs.spi.support.Complaints;

/**
 * A server of NFS version 4.1 for one directory: a program of oncrpc4j, for any number of its transports. Every client is served with the
 * rights of the server's own user, whoever it says that it is. It needs Linux on a 64-bit processor.
 *
 * <p>Close the transports first, then the server.
 */
public final class NfsServer implements RpcDispatchable, UpperLayerBinding, AutoCloseable {
    /** The program and version to register it under. */
    public static final OncRpcProgram PROGRAM = new OncRpcProgram(Nfs4.PROGRAM, Nfs4.VERSION);

    private static final int SWEEPS_PER_LEASE = 4;

    private final Core core;
    private final Map<Operation, Handler> handlers = new EnumMap<>(Operation.class);
    private final ScheduledExecutorService sweeper;

    /**
     * Opens a directory.
     *
     * @param directory the folder that clients see as the root
     * @param options   rights and limits
     * @return closed by the caller
     * @throws IOException if the directory cannot be opened
     */
    public static NfsServer open(Path directory, ServerOptions options) throws IOException {
        return open(directory, options, System::nanoTime);
    }

    static NfsServer open(Path directory, ServerOptions options, LongSupplier clock) throws IOException {
        return new NfsServer(directory, options, clock);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The task catches all, and ends with its executor.
    private NfsServer(Path directory, ServerOptions options, LongSupplier clock) throws IOException {
        Export export = new Export(directory, options.nodes());
        Limits limits = options.limits();
        Opens opens = new Opens(limits.opens(), limits.locks());
        Grace grace = new Grace(options.state(), options.lease(), clock);
        Clients clients = new Clients(limits, clock, client -> {
            grace.leave(client);
            opens.closeAll(client);
        }, opens::has);
        core = new Core(export, clients, opens, grace, new BufferPool(options.transfer(), options.buffers()), new Core.Exclusives(),
                new Core.Limits(options.writable(), (int) options.lease().toSeconds(), options.slots(), options.transfer()),
                new SecureRandom().nextLong());
        handlers.putAll(FileOperations.handlers());
        handlers.putAll(SessionOperations.handlers());
        sweeper = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("nfs-leases").factory());
        long period = Math.max(options.lease().toMillis() / SWEEPS_PER_LEASE, 1);
        Complaints.Message failed = new Complaints(NfsServer.class).message("{} could not be looked at");
        sweeper.scheduleWithFixedDelay(() -> {
            try {
                clients.expire();
            } catch (RuntimeException | Error e) {
                // The executor would never look again.
                failed.error("leases", e);
            }
        }, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * The memory that READs are sent from, for transports that can keep it registered.
     *
     * @return native memory, the same as long as the server lives
     */
    public MemorySegment buffers() {
        return core.buffers().memory();
    }

    /**
     * How many clients there are.
     *
     * @return clients with sessions
     */
    public int clients() {
        return core.clients().size();
    }

    /**
     * How many files are open.
     *
     * @return opens of all clients
     */
    public int opens() {
        return core.opens().size();
    }

    /**
     * How many buffers for READs are free.
     *
     * @return of both sizes
     */
    public int freeBuffers() {
        return core.buffers().free();
    }

    Core core() {
        return core;
    }

    Map<Operation, Handler> handlers() {
        return handlers;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws IOException {
        switch (call.getProcedure()) {
            case Nfs4.NULL -> call.reply(XdrVoid.XDR_VOID);
            case Nfs4.COMPOUND -> compound(call);
            default -> call.failProcedureUnavailable();
        }
    }

    /** RFC 8267, 6.1. */
    @Override
    public boolean isEligible(MemorySegment call, long position) {
        return Eligibility.isData(call, position);
    }

    private void compound(RpcCall call) throws IOException {
        Reply reply = Compound.run(core, handlers, caller(call), call.getXdr());
        call.registerSendOnceListener(new Sent(reply));
        try {
            call.reply(reply);
        } catch (RuntimeException | Error e) {
            reply.close();
            throw e;
        }
    }

    private static Caller caller(RpcCall call) {
        RpcAuth credential = call.getCredential();
        int user = credential instanceof RpcAuthTypeUnix system ? system.uid() : 0;
        // A connection that has ended may have no address left.
        return new Caller(PeerNetwork.of(call.getTransport().getRemoteSocketAddress()), credential.type(), user);
    }

    /** Gives the buffers of a reply back. */
    private record Sent(Reply reply) implements CompletionHandler<Integer, InetSocketAddress> {
        @Override
        public void completed(Integer sent, InetSocketAddress peer) {
            reply.close();
        }

        @Override
        public void failed(Throwable failure, InetSocketAddress peer) {
            reply.close();
        }
    }

    @Override
    public void close() {
        sweeper.shutdownNow();
        core.opens().closeAll();
        core.grace().close();
        core.export().close();
        core.buffers().close();
    }
}

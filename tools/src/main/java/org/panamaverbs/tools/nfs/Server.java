package org.panamaverbs.tools.nfs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcRejectedException;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.panamaverbs.Verbs;
import org.panamaverbs.nfs.client.NfsClient;
import org.panamaverbs.nfs.client.NfsException;
import org.panamaverbs.nfs.client.NfsOptions;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.rpcrdma.RdmaRpcClient;
import org.panamaverbs.rpcrdma.RdmaRpcException;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcTransport;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;

/** A session with a server, and all below it. */
// Tested by NfsServeCommandTest, NfsCommandTest.
final class Server implements AutoCloseable {
    private final InetSocketAddress address;
    private final RpcTransport transport;
    private final NfsClient client;
    private final Closing closing;

    private interface Closing {
        void close() throws IOException;
    }

    /** Work with the server. */
    interface Work<T> {
        T run(NfsClient client) throws IOException;
    }

    private Server(InetSocketAddress address, RpcTransport transport, NfsOptions options, Closing closing) throws IOException {
        this.address = address;
        this.transport = transport;
        this.closing = closing;
        try {
            client = NfsClient.open(transport, options);
        } catch (IOException e) {
            closing.close();
            throw plain(address, e);
        } catch (RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    static Server overTcp(InetSocketAddress address, NfsOptions options) throws IOException {
        OncRpcClient rpc = new OncRpcClient(address, IpProtocolType.TCP);
        RpcTransport transport;
        try {
            transport = rpc.connect(options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            throw new Failure(Failure.Kind.PEER, "no connection to " + HostPort.text(address) + ": " + e.getMessage()
                    + "; does its NFS server listen for TCP (/proc/fs/nfsd/portlist there)?", e);
        }
        return new Server(address, transport, options, rpc::close);
    }

    static Server overRdma(CarrierOptions carrier, RdmaRpcOptions rdma, InetSocketAddress address, NfsOptions options) throws IOException {
        Verbs verbs = carrier.open();
        RdmaRpcClient rpc = RdmaRpcClient.open(verbs, rdma);
        Closing closing = () -> {
            rpc.close();
            verbs.close();
        };
        RdmaRpcTransport transport;
        try {
            transport = rpc.connect(address, options.timeout());
        } catch (IOException | RuntimeException e) {
            closing.close();
            if (e instanceof RuntimeException failure) {
                throw failure;
            }
            throw new Failure(Failure.Kind.PEER,
                    e.getMessage() + "; does the NFS server listen for RDMA? On Linux: echo rdma 20049 > /proc/fs/nfsd/portlist", e);
        }
        return new Server(address, transport, options, closing);
    }

    /** Works, and reports the server's failures as such; those of local files stay as they are. */
    <T> T run(Work<T> work) throws IOException {
        try {
            return work.run(client);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw plain(address, e);
        }
    }

    private static RuntimeException plain(InetSocketAddress address, IOException e) {
        String server = HostPort.text(address);
        return switch (e) {
            case NfsException refused -> new Failure(Failure.Kind.REFUSED, server + " refuses: " + refused.getMessage() + hint(refused), e);
            case SocketTimeoutException late -> new Failure(Failure.Kind.TIMEOUT,
                    server + ": " + late.getMessage() + "; is it overloaded, or is the network down? --timeout waits longer", e);
            case EOFException ended ->
                new Failure(Failure.Kind.PEER,
                        server + " ended the connection"
                                + (ended.getMessage() == null ? ": was it stopped or started again? Try again" : ": " + ended.getMessage()),
                        e);
            case OncRpcAcceptedException rpc ->
                new Failure(Failure.Kind.PEER, server + " does not serve NFS version 4: " + rpc.getMessage(), e);
            case OncRpcRejectedException rpc -> new Failure(Failure.Kind.REFUSED,
                    server + " refuses the user of the call: " + rpc.getMessage() + "; is this machine in its list of exports?", e);
            case RdmaRpcException rdma -> new Failure(Failure.Kind.PEER, server + ": " + rdma.getMessage(), e);
            default -> new Failure(Failure.Kind.PEER, server + ": " + e.getMessage(), e);
        };
    }

    private static String hint(NfsException refused) {
        return refused.status() == Status.PERM || refused.status() == Status.ACCESS
                ? "; see --uid and --gid, and the option insecure in the server's list of exports" : "";
    }

    InetSocketAddress address() {
        return address;
    }

    /** Adds the transport that carried the bytes. */
    void describe(Map<String, Object> object) {
        boolean rdma = transport instanceof RdmaRpcTransport;
        object.put("transport", rdma ? "rdma" : "tcp");
        object.put("version", transport instanceof RdmaRpcTransport carrier ? carrier.version() : null);
        object.put("slots", client.slots());
    }

    /** Bytes that went, or came, by RDMA Read or Write so far; 0 over TCP. */
    long placed(boolean out) {
        if (transport instanceof RdmaRpcTransport carrier) {
            return out ? carrier.statistics().bytesPlacedOut() : carrier.statistics().bytesPlacedIn();
        }
        return 0;
    }

    String carrier() {
        return transport instanceof RdmaRpcTransport carrier ? "RPC-over-RDMA version " + carrier.version() : "TCP";
    }

    @Override
    public void close() throws IOException {
        client.close();
        closing.close();
    }
}

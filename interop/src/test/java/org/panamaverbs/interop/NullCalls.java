package org.panamaverbs.interop;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.Verbs;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.panamaverbs.rpcrdma.RdmaRpcClient;
import org.panamaverbs.rpcrdma.RdmaRpcException;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcTransport;

/** A program: calls the NULL procedure of the NFS server in Linux over RDMA, and says what came of it in one line. */
final class NullCalls {
    private static final int NFS = 100003;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private NullCalls() {
    }

    /** {@code ADDRESS PORT ROUNDS LOWEST HIGHEST INLINE}: the versions of RPC-over-RDMA, and the bytes that go inline both ways. */
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        int rounds = Integer.parseInt(arguments[2]);
        int inline = Integer.parseInt(arguments[5]);
        RdmaRpcOptions options = RdmaRpcOptions.defaults()
                .withVersions(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4])).withInline(inline, inline);
        int status = 0;
        try (Verbs verbs = Verbs.open(); RdmaRpcClient client = RdmaRpcClient.open(verbs, options)) {
            status = call(client.connect(server, LIMIT), rounds);
        }
        System.exit(status);
    }

    private static int call(RdmaRpcTransport transport, int rounds) throws Exception {
        PlacedCall nfs = new PlacedCall(NFS, 4, new RpcAuthTypeNone(), transport);
        try {
            for (int round = 0; round < rounds; round++) {
                nfs.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), LIMIT);
            }
        } catch (RdmaRpcException e) {
            System.out.println("refused: " + e.reason() + ": " + e.getMessage());
            return 1;
        }
        System.out.println(rounds + " NULL calls by version " + transport.version() + ": " + transport.statistics());
        return 0;
    }
}

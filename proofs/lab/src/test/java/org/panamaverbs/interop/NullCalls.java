package org.panamaverbs.interop;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.Verbs;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.panamaverbs.rpcrdma.RdmaRpcClient;
import org.panamaverbs.rpcrdma.RdmaRpcException;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcTransport;

/** A program: calls the NULL procedure of the NFS server in Linux over RDMA, and prints the outcome in one line. */
final class NullCalls {
    private static final int NFS = 100003;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long SLOW_MICROS = 500_000;

    private NullCalls() {
    }

    /** {@code ADDRESS PORT ROUNDS LOWEST HIGHEST INLINE}: the versions of RPC-over-RDMA, and the bytes that go inline both ways. */
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        int rounds = Integer.parseInt(arguments[2]);
        int inline = Integer.parseInt(arguments[5]);
        RdmaRpcOptions options = RdmaRpcOptions.defaults().withVersions(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]))
                .withInline(inline, inline);
        int status = 0;
        try (Verbs verbs = Verbs.open(); RdmaRpcClient client = RdmaRpcClient.open(verbs, options)) {
            status = call(client.connect(server, LIMIT), rounds);
        }
        System.exit(status);
    }

    private static int call(RdmaRpcTransport transport, int rounds) throws Exception {
        long[] micros = new long[rounds];
        PlacedCall nfs = new PlacedCall(NFS, 4, new RpcAuthTypeNone(), transport);
        try {
            for (int round = 0; round < rounds; round++) {
                long began = System.nanoTime();
                nfs.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), LIMIT);
                micros[round] = (System.nanoTime() - began) / 1000;
            }
        } catch (RdmaRpcException e) {
            System.out.println("refused: " + e.reason() + ": " + e.getMessage());
            return 1;
        }
        System.out.println(rounds + " NULL calls by version " + transport.version() + ": " + transport.statistics() + "; " + times(micros));
        return 0;
    }

    /** A packet that a software device loses costs a time-out of the device, so the slowest calls say more than the sum. */
    private static String times(long[] micros) {
        Arrays.sort(micros);
        int last = micros.length - 1;
        return String.format(Locale.ROOT, "%.1f s together, median %.1f ms, 90%% within %.1f ms, slowest %.1f ms, %d above 500 ms",
                Arrays.stream(micros).sum() / 1e6, micros[last / 2] / 1e3, micros[last * 9 / 10] / 1e3, micros[last] / 1e3,
                Arrays.stream(micros).filter(each -> each > SLOW_MICROS).count());
    }
}

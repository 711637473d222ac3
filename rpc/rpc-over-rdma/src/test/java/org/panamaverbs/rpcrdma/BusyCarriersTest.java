package org.panamaverbs.rpcrdma;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.BusyCarriers;
import org.panamaverbs.testing.ChildJvm;

/** While the program's virtual threads compute on all carriers, services answer. */
class BusyCarriersTest {
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);

    private static void call(RpcTransport transport) throws Exception {
        new RpcCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport)
                .call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 60, TimeUnit.SECONDS);
    }

    static final class OverRdma {
        private OverRdma() {
        }

        public static void main(String[] arguments) throws Exception {
            BusyCarriers.occupy();
            try (Verbs verbs = Verbs.open(Configuration.load());
                    RdmaRpcService service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults())
                            .withRpcService(TestProgram.PROGRAM, new TestProgram()).listen(ANY);
                    RdmaRpcClient client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults().withFirstCallDelay(Duration.ZERO))) {
                call(client.connect(service.address(), Duration.ofSeconds(60)));
            }
            System.exit(0);
        }
    }

    static final class OverTcp {
        private OverTcp() {
        }

        public static void main(String[] arguments) throws Exception {
            BusyCarriers.occupy();
            try (TcpRpcService service = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, new TestProgram()).listen(ANY);
                    OncRpcClient client = new OncRpcClient(service.address(), IpProtocolType.TCP)) {
                call(client.connect(60, TimeUnit.SECONDS));
            }
            System.exit(0);
        }
    }

    @Test
    void shouldServeOverRdma() throws Exception {
        ChildJvm.run(OverRdma.class, "auto", ChildJvm.ONE_CARRIER);
    }

    @Test
    void shouldServeOverTcp() throws Exception {
        ChildJvm.run(OverTcp.class, "auto", ChildJvm.ONE_CARRIER);
    }
}

package org.panamaverbs.compare.programs;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.IoStrategy;
import org.dcache.oncrpc4j.rpc.MemoryAllocator;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcSvc;
import org.dcache.oncrpc4j.rpc.OncRpcSvcBuilder;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.rpcrdma.RdmaRpcClient;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.RdmaRpcService;

/**
 * How calls travel: by this project over soft-iwarp, or by oncrpc4j over TCP with one of its strategies at both ends. By RDMA and by
 * {@code SAME_THREAD} the service runs the program in the thread that takes calls from the network. The comparisons use these two, and
 * {@code WORKER_THREAD} with several results in flight, where it was the fastest.
 */
enum RpcOver {
    RDMA(null), TCP_SAME_THREAD(IoStrategy.SAME_THREAD), TCP_WORKER_THREAD(IoStrategy.WORKER_THREAD), TCP_LEADER_FOLLOWER(
            IoStrategy.LEADER_FOLLOWER);

    private static final int SECONDS = 60;
    private final IoStrategy strategy;

    RpcOver(IoStrategy strategy) {
        this.strategy = strategy;
    }

    /** A service, and the port on which it listens. */
    record Served(int port, Closeable service) implements Closeable {
        @Override
        public void close() throws IOException {
            service.close();
        }
    }

    /** A connection and its owner. */
    record Connected(RpcTransport transport, Closeable client) implements Closeable {
        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    private static Verbs verbs() {
        return Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    }

    Served serve(RpcProgram program) throws IOException {
        if (strategy == null) {
            Verbs verbs = verbs();
            RdmaRpcService service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults()).withRpcService(RpcProgram.ID, program)
                    .withSameThread().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            if (program.data().byteSize() > 0) {
                service.keepRegistered(program.data());
            }
            return new Served(service.address().getPort(), () -> {
                service.close();
                verbs.close();
            });
        }
        OncRpcSvcBuilder builder = new OncRpcSvcBuilder().withTCP().withoutAutoPublish().withBindAddress("127.0.0.1")
                .withIoStrategy(strategy).withMemoryAllocator(MemoryAllocator.valueOf(System.getProperty("rpc.memory", "DEFAULT")))
                .withRpcService(RpcProgram.ID, program);
        OncRpcSvc service = builder.build();
        service.start();
        return new Served(service.getInetSocketAddress(IpProtocolType.TCP).getPort(), service::stop);
    }

    Connected connect(InetSocketAddress remote) throws IOException {
        if (strategy == null) {
            Verbs verbs = verbs();
            RdmaRpcClient client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults());
            return new Connected(client.connect(remote, Duration.ofSeconds(SECONDS)), () -> {
                client.close();
                verbs.close();
            });
        }
        OncRpcClient client = OncRpcClient.newBuilder().withTCP().withIoStrategy(strategy).build(remote);
        return new Connected(client.connect(SECONDS, TimeUnit.SECONDS), client::close);
    }
}

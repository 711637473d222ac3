package org.panamaverbs.engines;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.panamaverbs.netty.VerbsServerSocketChannel;
import org.panamaverbs.netty.VerbsSocketChannel;

/** The tests by which gRPC's own implementations are compared, with another type of channel and other event loops, and nothing else. */
public class GrpcInteropTest extends AbstractInteropTest {
    private VerbsServerSocketChannel server;

    ServerCredentials serverCredentials() {
        return InsecureServerCredentials.create();
    }

    ChannelCredentials clientCredentials() {
        return InsecureChannelCredentials.create();
    }

    @Override
    protected NettyServerBuilder getServerBuilder() {
        NettyServerBuilder builder = NettyServerBuilder
                .forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverCredentials()).channelFactory(() -> {
                    server = new VerbsServerSocketChannel();
                    return server;
                }).bossEventLoopGroup(Loops.group()).workerEventLoopGroup(Loops.group()).flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE);
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        builder.addStreamTracerFactory(createCustomCensusTracerFactory());
        return builder;
    }

    @Override
    protected NettyChannelBuilder createChannelBuilder() {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server.localAddress(), clientCredentials())
                .channelType(VerbsSocketChannel.class).eventLoopGroup(Loops.group()).flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE);
        InternalNettyChannelBuilder.setStatsEnabled(builder, false);
        builder.intercept(createCensusStatsClientInterceptor());
        return builder;
    }
}

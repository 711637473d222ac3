package org.panamaverbs.engines;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.netty.NettyTransport;

/** A service of gRPC whose transport one setting names. */
class GrpcServiceTest {
    private static final class Service extends TestServiceGrpc.TestServiceImplBase {
        @Override
        public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> answer) {
            answer.onNext(SimpleResponse.newBuilder().setUsername("size " + request.getResponseSize()).build());
            answer.onCompleted();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "verbs", "tcp" })
    void shouldAnswerOver(String name) throws Exception {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.netty.transport", name).build();
        try (NettyTransport transport = NettyTransport.open(configuration)) {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, transport.ioHandlerFactory());
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(transport.serverSocketChannel()).bossEventLoopGroup(group).workerEventLoopGroup(group)
                    .addService(new Service()).build().start();
            ManagedChannel channel = NettyChannelBuilder.forAddress(server.getListenSockets().getFirst())
                    .channelType(transport.socketChannel()).eventLoopGroup(group).usePlaintext().build();
            SimpleResponse answer = TestServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS)
                    .unaryCall(SimpleRequest.newBuilder().setResponseSize(30).build());
            assertEquals("size 30", answer.getUsername());
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }
}

package org.panamaverbs.engines;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.SimpleRequest;
import io.grpc.testing.integration.Messages.SimpleResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.netty.VerbsIoHandler;
import org.panamaverbs.netty.VerbsServerSocketChannel;
import org.panamaverbs.netty.VerbsSocketChannel;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The work of each end for a call of gRPC, and for a message of Netty and its answer: a change that adds a step fails. Each end has a device
 * of its own, as in a process of its own. A wake-up is what the kernel counts as a voluntary switch of the event loop's thread.
 */
class MessageCountsTest {
    private static final int WARM = 200;
    private static final int CALLS = 2_000;
    private static final int BYTES = 64;
    /** Of each count, for a call or a message and its answer. PINGs of gRPC may add some. */
    private static final double MOST = 1.1;
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final LinkedBlockingQueue<VerbsSocketChannel> accepted = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<VerbsSocketChannel> connected = new LinkedBlockingQueue<>();
    private final List<Verbs> verbs = new ArrayList<>();
    private EventLoopGroup clients;
    private EventLoopGroup servers;

    private record Counts(long requests, long receives, long frames, long writes, long reads, long wakeUps) {
        static Counts of(VerbsSocketChannel channel) throws Exception {
            QueuePairStatistics counts = channel.statistics();
            return new Counts(counts.requestsCompleted().orElseThrow(), counts.receivesCompleted().orElseThrow(),
                    counts.segmentsSent().orElseThrow(), counts.writeCalls().orElseThrow(), counts.readCalls().orElseThrow(),
                    channel.eventLoop().submit(Counts::wakeUpsOfThisThread).get(10, TimeUnit.SECONDS));
        }

        private static long wakeUpsOfThisThread() throws IOException {
            String label = "voluntary_ctxt_switches:";
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream().filter(line -> line.startsWith(label))
                    .mapToLong(line -> Long.parseLong(line.substring(label.length()).trim())).sum();
        }

        Counts since(Counts before) {
            return new Counts(requests - before.requests, receives - before.receives, frames - before.frames, writes - before.writes,
                    reads - before.reads, wakeUps - before.wakeUps);
        }

        String each() {
            return "requests %.2f, receives %.2f, frames %.2f, write calls %.2f, read calls %.2f, wake-ups %.2f".formatted(
                    (double) requests / CALLS, (double) receives / CALLS, (double) frames / CALLS, (double) writes / CALLS,
                    (double) reads / CALLS, (double) wakeUps / CALLS);
        }

        void check(String end) {
            long greatest = LongStream.of(requests, receives, frames, writes, reads, wakeUps).max().orElseThrow();
            assertTrue(greatest <= MOST * CALLS, () -> end + ", each: " + each());
        }
    }

    /** Keeps the channels that a server accepts. */
    @ChannelHandler.Sharable
    private final class Accepted extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object channel) {
            accepted.add((VerbsSocketChannel) channel);
            context.fireChannelRead(channel);
        }
    }

    private static final class Service extends TestServiceGrpc.TestServiceImplBase {
        @Override
        public void unaryCall(SimpleRequest request, StreamObserver<SimpleResponse> answer) {
            answer.onNext(SimpleResponse.newBuilder().setPayload(request.getPayload()).build());
            answer.onCompleted();
        }
    }

    private void open(String transport) {
        clients = openLoop(transport);
        servers = openLoop(transport);
    }

    private EventLoopGroup openLoop(String transport) {
        Verbs opened = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport).build());
        verbs.add(opened);
        return new MultiThreadIoEventLoopGroup(1, VerbsIoHandler.newFactory(opened.device()));
    }

    @AfterEach
    void close() {
        clients.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        servers.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        verbs.forEach(Verbs::close);
    }

    private VerbsServerSocketChannel newServerChannel() {
        VerbsServerSocketChannel channel = new VerbsServerSocketChannel();
        channel.pipeline().addFirst(new Accepted());
        return channel;
    }

    private VerbsSocketChannel newChannel() {
        VerbsSocketChannel channel = new VerbsSocketChannel();
        connected.add(channel);
        return channel;
    }

    private void measure(String name, Work calls) throws Exception {
        calls.make(WARM);
        VerbsSocketChannel client = connected.poll(10, TimeUnit.SECONDS);
        VerbsSocketChannel server = accepted.poll(10, TimeUnit.SECONDS);
        Counts clientBefore = Counts.of(client);
        Counts serverBefore = Counts.of(server);
        calls.make(CALLS);
        Counts ofClient = Counts.of(client).since(clientBefore);
        Counts ofServer = Counts.of(server).since(serverBefore);
        System.out.println(name + ", client, each: " + ofClient.each());
        System.out.println(name + ", server, each: " + ofServer.each());
        ofClient.check(name + ", client");
        ofServer.check(name + ", server");
    }

    @FunctionalInterface
    private interface Work {
        void make(int count) throws Exception;
    }

    /** One after the other, each in the event loop that has the answer of the one before. */
    private static final class Calls implements StreamObserver<SimpleResponse> {
        private final TestServiceGrpc.TestServiceStub stub;
        private final SimpleRequest request;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private int left;

        Calls(TestServiceGrpc.TestServiceStub stub, SimpleRequest request, int count) {
            this.stub = stub;
            this.request = request;
            left = count;
        }

        void next() {
            stub.unaryCall(request, this);
        }

        @Override
        public void onNext(SimpleResponse answer) {
            if (!answer.getPayload().equals(request.getPayload())) {
                done.completeExceptionally(new AssertionError(answer));
            }
        }

        @Override
        public void onError(Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void onCompleted() {
            left--;
            if (left > 0) {
                next();
            } else {
                done.complete(null);
            }
        }

        void await() throws Exception {
            done.get(60, TimeUnit.SECONDS);
        }
    }

    /** The frames of a call leave at one flush. */
    @ParameterizedTest
    @ValueSource(strings = { "epoll", "shared-memory" })
    void shouldTakeOneMessageEachWayForACallOfGrpc(String transport) throws Exception {
        open(transport);
        Server server = NettyServerBuilder.forAddress(LOOPBACK).channelFactory(this::newServerChannel).bossEventLoopGroup(servers)
                .workerEventLoopGroup(servers).directExecutor().addService(new Service()).build().start();
        ManagedChannel channel = NettyChannelBuilder.forAddress(server.getListenSockets().getFirst()).channelFactory(this::newChannel)
                .eventLoopGroup(clients).directExecutor().usePlaintext().build();
        SimpleRequest request = SimpleRequest.newBuilder().setPayload(Payload.newBuilder().setBody(ByteString.copyFrom(new byte[BYTES])))
                .build();
        measure("gRPC over " + transport, count -> {
            Calls calls = new Calls(TestServiceGrpc.newStub(channel), request, count);
            clients.submit(calls::next).sync();
            calls.await();
        });
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }

    /** Returns each message, or counts it. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        private int left;
        private CountDownLatch done;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (done == null || left-- > 1) {
                context.writeAndFlush(message);
            } else {
                ((ByteBuf) message).release();
                done.countDown();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "epoll", "shared-memory" })
    void shouldTakeOneMessageEachWayForAnEchoOfNetty(String transport) throws Exception {
        open(transport);
        Channel listening = new ServerBootstrap().group(servers).channelFactory(this::newServerChannel)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(new Echo());
                    }
                }).bind(LOOPBACK).sync().channel();
        Echo measuring = new Echo();
        Channel channel = new Bootstrap().group(clients).channelFactory(this::newChannel).handler(measuring)
                .connect(listening.localAddress()).sync().channel();
        measure("Netty over " + transport, count -> {
            CountDownLatch done = new CountDownLatch(1);
            channel.eventLoop().execute(() -> {
                measuring.left = count;
                measuring.done = done;
                channel.writeAndFlush(channel.alloc().directBuffer(BYTES).writeZero(BYTES));
            });
            assertTrue(done.await(60, TimeUnit.SECONDS));
        });
        channel.close().sync();
        listening.close().sync();
    }
}

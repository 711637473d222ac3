package org.panamaverbs.compare.programs;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Unary calls of gRPC that return their argument: {@code GrpcCalls serve SIZE} prints where it listens and serves one client;
 * {@code GrpcCalls PORT SIZE} and the arguments of {@link Timed} measure against it on loopback. The system property {@code netty.over} names the transport
 * ({@link NettyOver}), and {@code grpc.flight} how many calls are in flight: the reply of each makes the next one.
 */
public final class GrpcCalls {
    private static final NettyOver OVER = NettyOver.valueOf(System.getProperty("netty.over", "VERBS"));
    private static final int FLIGHT = Integer.getInteger("grpc.flight", 1);
    private static final String SERVICE = "compare.Echo";
    private static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo");
    private static final MethodDescriptor<byte[], byte[]> END = method("End");

    private GrpcCalls() {
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes()).setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name)).build();
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve();
        } else {
            measure(Integer.parseInt(arguments[0]), size, new Timed(arguments));
        }
    }

    private static void reply(byte[] argument, StreamObserver<byte[]> answer) {
        answer.onNext(argument);
        answer.onCompleted();
    }

    private static void serve() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        ServerServiceDefinition service = ServerServiceDefinition.builder(SERVICE)
                .addMethod(ECHO, ServerCalls.asyncUnaryCall(GrpcCalls::reply))
                .addMethod(END, ServerCalls.asyncUnaryCall((argument, answer) -> {
                    reply(argument, answer);
                    end.countDown();
                })).build();
        try (NettyOver.Loop loop = OVER.open()) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(OVER.serverType()).bossEventLoopGroup(loop.group()).workerEventLoopGroup(loop.group()).directExecutor()
                    .addService(service).build().start();
            Timed.listening(server.getPort());
            end.await();
            server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    private static void measure(int port, int size, Timed timed) throws Exception {
        try (NettyOver.Loop loop = OVER.open()) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .channelType(OVER.clientType()).eventLoopGroup(loop.group()).directExecutor().usePlaintext().build();
            byte[] argument = new byte[size];
            Timed.Part part = seconds -> {
                long start = System.nanoTime();
                long calls = new Run(channel, argument, seconds).await();
                return Timed.Figures.of(calls, (System.nanoTime() - start) / 1e9);
            };
            timed.warmUp(part);
            timed.print(part.run(timed.seconds()), size);
            ClientCalls.blockingUnaryCall(channel, END, CallOptions.DEFAULT, argument);
            channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    /** Calls for a while. All replies come in the one event loop. */
    private static final class Run {
        private final ManagedChannel channel;
        private final byte[] argument;
        private final long end;
        private final CountDownLatch done = new CountDownLatch(FLIGHT);
        private long calls;
        private volatile Throwable failure;

        Run(ManagedChannel channel, byte[] argument, double seconds) {
            this.channel = channel;
            this.argument = argument;
            end = System.nanoTime() + (long) (seconds * 1e9);
            for (int i = 0; i < FLIGHT; i++) {
                call();
            }
        }

        private void call() {
            ClientCalls.asyncUnaryCall(channel.newCall(ECHO, CallOptions.DEFAULT), argument, new StreamObserver<byte[]>() {
                @Override
                public void onNext(byte[] value) {
                    // The end counts.
                }

                @Override
                public void onError(Throwable cause) {
                    failure = cause;
                    done.countDown();
                }

                @Override
                public void onCompleted() {
                    calls++;
                    if (System.nanoTime() < end) {
                        call();
                    } else {
                        done.countDown();
                    }
                }
            });
        }

        long await() throws InterruptedException {
            done.await();
            if (failure != null) {
                throw new IllegalStateException("a call failed", failure);
            }
            return calls;
        }
    }
}

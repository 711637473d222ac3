package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslClientRenegotiateTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Proofs;

/**
 * Netty's own tests of socket transports, over verbs at both ends. Netty gives most 30 s; those that take long, or wait for seconds, are in
 * the profile.
 */
class NettySuiteTest {
    private static final String NO_LOOPBACK = "it takes the loopback address, which no device has";
    private static final int LOOPS = 2;
    private static Verbs verbs;
    private static EventLoopGroup servers;
    private static EventLoopGroup clients;

    @BeforeAll
    static void open() {
        Configuration.Builder configuration = Configuration.builder();
        String device = System.getProperty("suite.device", "");
        if (device.isEmpty()) {
            configuration.set("panamaverbs.provider", "soft-iwarp");
        } else {
            configuration.set("panamaverbs.provider", "rdma-core").set("panamaverbs.device", device);
        }
        String transport = System.getProperty("suite.transport", "");
        if (!transport.isEmpty()) {
            configuration.set("panamaverbs.softiwarp.transport", transport);
        }
        verbs = Verbs.open(configuration.build());
        servers = new MultiThreadIoEventLoopGroup(LOOPS, VerbsIoHandler.newFactory(verbs.device()));
        clients = new MultiThreadIoEventLoopGroup(LOOPS, VerbsIoHandler.newFactory(verbs.device()));
    }

    @AfterAll
    static void close() throws InterruptedException {
        servers.shutdownGracefully(0, 60, TimeUnit.SECONDS).syncUninterruptibly();
        clients.shutdownGracefully(0, 60, TimeUnit.SECONDS).syncUninterruptibly();
        verbs.close();
        LeakRecorder.check();
    }

    private static ServerBootstrap server() {
        return new ServerBootstrap().group(servers).channel(VerbsServerSocketChannel.class);
    }

    private static Bootstrap client() {
        return new Bootstrap().group(clients).channel(VerbsSocketChannel.class);
    }

    private static List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> both() {
        return List.of(new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return server();
            }

            @Override
            public Bootstrap newClientInstance() {
                return client();
            }
        });
    }

    private static SocketAddress address() {
        return new InetSocketAddress(System.getProperty("suite.address", "127.0.0.1"), 0);
    }

    private static List<BootstrapFactory<Bootstrap>> clientAlone() {
        return List.of(NettySuiteTest::client);
    }

    @Nested
    class Echo extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class StringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class FixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class ObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class SpdyEcho extends SocketSpdyEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "suite.all", matches = "true", disabledReason = "takes long")
    class SslEcho extends SocketSslEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class SslGreeting extends SocketSslGreetingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class SslSessionReuse extends SocketSslSessionReuseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        static Object[] jdk() throws Exception {
            return jdkAndOpenSSL().stream().limit(1).toArray();
        }

        /** Without OpenSSL, whose library is not among the tests' dependencies. */
        @Override
        @ParameterizedTest
        @MethodSource("jdk")
        public void testSslSessionTrustManagerResumption(SslContextBuilder server, SslContextBuilder client, TestInfo info)
                throws Throwable {
            super.testSslSessionTrustManagerResumption(server, client, info);
        }
    }

    @Nested
    class SslClientRenegotiate extends SocketSslClientRenegotiateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class StartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class Connect extends SocketConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    @DisabledIfSystemProperty(named = "suite.device", matches = ".+", disabledReason = NO_LOOPBACK)
    class MultipleConnect extends SocketMultipleConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    @Tag(Proofs.TAG)
    class ExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class HalfClosed extends SocketHalfClosedTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        /** Left out: with SO_LINGER 0, bytes that have just been written may be lost; over TCP's loopback they are there already. */
        @Override
        public void testAutoCloseFalseDoesShutdownOutput(TestInfo info) {
            // Not run.
        }

        /** Left out: like NIO, for which Netty leaves it out, a channel sees the end of its input when it reads. */
        @Override
        public void testAllDataReadEventTriggeredAfterHalfClosure(TestInfo info) {
            // Not run.
        }
    }

    @Nested
    class Rst extends SocketRstTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class CloseForcibly extends SocketCloseForciblyTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class CancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class BufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class FileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    @Tag(Proofs.TAG)
    class GatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "suite.all", matches = "true", disabledReason = "takes long")
    class TrafficShapingHandler extends TrafficShapingHandlerTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class AutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    @Tag(Proofs.TAG)
    class ReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class DataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        /** Left out: TCP's kernel accepts a peer before the program reads its server's channel; over verbs the program accepts. */
        @Override
        public void testAutoReadOffNoDataReadUntilReadCalled(TestInfo info) {
            // Not run.
        }
    }

    @Nested
    @Tag(Proofs.TAG)
    class ConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class ConnectionAttempt extends SocketConnectionAttemptTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clientAlone();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        @Override
        @Test
        @DisabledIfSystemProperty(named = "suite.device", matches = ".+", disabledReason = NO_LOOPBACK)
        public void testConnectRefused(TestInfo info) throws Throwable {
            super.testConnectRefused(info);
        }

        @Override
        @Test
        @DisabledIfSystemProperty(named = "suite.device", matches = ".+", disabledReason = NO_LOOPBACK)
        public void testConnectRefusedHalfClosure(TestInfo info) throws Throwable {
            super.testConnectRefusedHalfClosure(info);
        }

        /** Left out: it needs an address that answers nothing; some networks have a proxy that answers for all. */
        @Override
        public void testConnectCancellation(TestInfo info) {
            // Not run.
        }
    }

    @Nested
    class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clientAlone();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }
    }

    @Nested
    class ChannelNotYetConnected extends SocketChannelNotYetConnectedTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clientAlone();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        /** Left out: the peer is a plain socket of TCP. */
        @Override
        public void readMustBePendingUntilChannelIsActive(TestInfo info) {
            // Not run.
        }
    }

    @Nested
    class Addresses extends SocketAddressesTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return address();
        }

        @Override
        protected void assertAddress(SocketAddress address) {
            InetSocketAddress known = assertInstanceOf(InetSocketAddress.class, address);
            assertTrue(known.getPort() > 0);
            assertEquals(((InetSocketAddress) address()).getAddress(), known.getAddress());
        }
    }

    @Nested
    @EnabledIfSystemProperty(named = "suite.all", matches = "true", disabledReason = "takes long")
    class EventLoops extends AbstractSingleThreadEventLoopTest {
        @Override
        protected EventLoopGroup newEventLoopGroup() {
            return new MultiThreadIoEventLoopGroup(VerbsIoHandler.newFactory(verbs.device()));
        }

        @Override
        protected EventLoopGroup newAutoScalingEventLoopGroup() {
            return new MultiThreadIoEventLoopGroup(SCALING_MAX_THREADS, null, AUTO_SCALING_CHOOSER_FACTORY,
                    VerbsIoHandler.newFactory(verbs.device()));
        }

        @Override
        protected Channel newChannel() {
            return new VerbsServerSocketChannel();
        }

        @Override
        protected Class<? extends ServerChannel> serverChannelClass() {
            return VerbsServerSocketChannel.class;
        }
    }
}

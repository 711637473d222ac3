package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.testing.Transports;

/** A server's channel listens where that of the JDK does, and lets as many clients wait. */
@ParameterizedClass
@Transports({ "shared-memory", "epoll", Providers.JDK })
class ListenRulesTest {
    private static final int LIMIT = 60;

    @Parameter
    private String name;
    private SelectorProvider provider;

    @BeforeEach
    void open() {
        provider = name.equals(Providers.JDK) ? Providers.of(name)
                : new VerbsSelectorProvider(
                        Configuration.builder().set("panamaverbs.provider", "soft-iwarp").set("panamaverbs.softiwarp.transport", name)
                                .set(NioSettings.ADDRESSES.name(), "*").set(NioSettings.FALL_BACK.name(), "off").build());
    }

    private static void assertReached(SelectorProvider provider, ServerSocketChannel server, String host) throws Exception {
        InetSocketAddress address = new InetSocketAddress(host, ((InetSocketAddress) server.getLocalAddress()).getPort());
        try (SocketChannel near = provider.openSocketChannel()) {
            near.connect(address);
            try (SocketChannel far = server.accept()) {
                assertEquals(address, far.getLocalAddress());
                assertEquals(near.getLocalAddress(), far.getRemoteAddress());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::", "null" })
    void shouldBeReachedOverBothFamiliesAtAllAddresses(String all) throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel()) {
            server.bind(all.equals("null") ? null : new InetSocketAddress(all, 0));
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            assumeTrue(address.getAddress() instanceof Inet6Address, "no IPv6 here");
            assertTrue(address.getAddress().isAnyLocalAddress());
            assertReached(provider, server, "127.0.0.1");
            assertReached(provider, server, "::1");
        }
    }

    @Test
    void shouldServeIpv4AloneIfTheProgramWantsThat() throws Exception {
        try (ServerSocketChannel server = provider.openServerSocketChannel(StandardProtocolFamily.INET)) {
            server.bind(new InetSocketAddress("0.0.0.0", 0));
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            assertEquals("0.0.0.0", address.getAddress().getHostAddress());
            try (SocketChannel near = provider.openSocketChannel()) {
                assertThrows(IOException.class, () -> near.connect(new InetSocketAddress("::1", address.getPort())));
            }
            assertReached(provider, server, "127.0.0.1");
        }
    }

    @ParameterizedTest
    @CsvSource({ "16, 60", "0, 80", "-1, 80" })
    void shouldLetMoreClientsWaitThanTheBacklog(int backlog, int clients) throws Exception {
        assumeTrue(!name.equals(Providers.JDK), "with so short a queue the kernel makes clients try again for seconds");
        try (ServerSocketChannel server = provider.openServerSocketChannel()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), backlog);
            List<CompletableFuture<SocketChannel>> connecting = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                connecting.add(Channels.async(() -> {
                    SocketChannel near = provider.openSocketChannel();
                    near.connect(server.getLocalAddress());
                    return near;
                }));
            }
            for (int i = 0; i < clients; i++) {
                server.accept().close();
            }
            for (CompletableFuture<SocketChannel> each : connecting) {
                each.get(LIMIT, TimeUnit.SECONDS).close();
            }
        }
    }
}

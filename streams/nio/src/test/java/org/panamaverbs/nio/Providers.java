package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.panamaverbs.Configuration;

/** The JDK's provider, ours with channels that all go over TCP, and ours over each transport of soft-iwarp. */
final class Providers {
    static final String JDK = "jdk";
    static final String TCP = "tcp";

    private static final Map<String, SelectorProvider> MADE = new ConcurrentHashMap<>();

    private Providers() {
    }

    static SelectorProvider of(String name) {
        return MADE.computeIfAbsent(name, Providers::make);
    }

    /** One that no other test has used, with an event loop of its own. */
    static SelectorProvider make(String name) {
        if (name.equals(JDK)) {
            return JdkProvider.find();
        }
        Configuration.Builder configuration = Configuration.builder().set("panamaverbs.provider", "soft-iwarp");
        if (name.equals(TCP)) {
            configuration.set(NioSettings.ADDRESSES.name(), "!*");
        } else {
            configuration.set("panamaverbs.softiwarp.transport", name).set(NioSettings.ADDRESSES.name(), "127.0.0.1");
        }
        return new VerbsSelectorProvider(configuration.build());
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Two connected channels in blocking mode, and the server's. */
    record Pair(ServerSocketChannel server, SocketChannel near, SocketChannel far) implements AutoCloseable {
        static Pair of(SelectorProvider provider) throws IOException {
            ServerSocketChannel server = provider.openServerSocketChannel();
            server.bind(anyPort());
            SocketChannel near = provider.openSocketChannel();
            near.connect(server.getLocalAddress());
            return new Pair(server, near, server.accept());
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
            server.close();
        }
    }
}

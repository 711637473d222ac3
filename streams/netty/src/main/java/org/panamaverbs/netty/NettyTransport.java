package org.panamaverbs.netty;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.Version;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport that the setting {@code panamaverbs.netty.transport} names: verbs, or TCP by Netty's own NIO channels. A program that takes
 * event loops and channels from here changes its transport by that one setting.
 *
 * {@snippet :
 * NettyTransport transport = NettyTransport.open(Configuration.load());
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(transport.ioHandlerFactory());
 * new Bootstrap().group(group).channel(transport.socketChannel()).handler(handler).connect("server", 7471);
 * }
 */
public final class NettyTransport implements AutoCloseable {
    static final Setting<String> TRANSPORT = Setting.choice("panamaverbs.netty.transport", "verbs",
            "Transport that NettyTransport opens: verbs, TCP, or (auto) verbs and, if no device can be opened, TCP; the log says so",
            "verbs", "tcp", "auto");
    private static final Logger LOG = LoggerFactory.getLogger(NettyTransport.class);

    private final @Nullable Verbs verbs;

    private NettyTransport(@Nullable Verbs verbs) {
        this.verbs = verbs;
    }

    /**
     * Opens the transport that a configuration names.
     *
     * @param configuration also of the device, if it is verbs
     * @return closed by the caller, after its event loops have ended
     * @throws VerbsException        if it is {@code verbs}, and no device can be opened
     * @throws IllegalStateException if Netty is older than 4.2
     */
    public static NettyTransport open(Configuration configuration) {
        requireNetty();
        String wanted = configuration.get(TRANSPORT);
        if (wanted.equals("tcp")) {
            return new NettyTransport(null);
        }
        try {
            return new NettyTransport(Verbs.open(configuration));
        } catch (VerbsException e) {
            if (wanted.equals("verbs")) {
                throw e;
            }
            LOG.warn("Netty goes over TCP, since no device of verbs can be opened: {}", e.getMessage());
            return new NettyTransport(null);
        }
    }

    /** An older Netty has no such event loops, which would show itself as some class that is missing. */
    private static void requireNetty() {
        try {
            Class.forName("io.netty.channel.IoHandlerFactory", false, NettyTransport.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            Version found = Version.identify().get("netty-transport");
            throw new IllegalStateException("panama-verbs-netty needs Netty 4.2.0 or newer"
                    + (found == null ? "" : ", and the class path has " + found.artifactVersion()), e);
        }
    }

    /** {@return whether it is verbs: else it is TCP} */
    public boolean isVerbs() {
        return verbs != null;
    }

    /** {@return handlers for {@link io.netty.channel.MultiThreadIoEventLoopGroup}} */
    public IoHandlerFactory ioHandlerFactory() {
        return verbs == null ? NioIoHandler.newFactory() : VerbsIoHandler.newFactory(verbs.device());
    }

    /** {@return the type of a client's channels} */
    public Class<? extends SocketChannel> socketChannel() {
        return verbs == null ? NioSocketChannel.class : VerbsSocketChannel.class;
    }

    /** {@return the type of a server's channels} */
    public Class<? extends ServerSocketChannel> serverSocketChannel() {
        return verbs == null ? NioServerSocketChannel.class : VerbsServerSocketChannel.class;
    }

    /** Closes the device, if it has one. */
    @Override
    public void close() {
        if (verbs != null) {
            verbs.close();
        }
    }
}

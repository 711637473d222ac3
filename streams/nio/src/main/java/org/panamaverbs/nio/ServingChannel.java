package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A server's channel, as its socket sees it. */
abstract class ServingChannel extends ServerSocketChannel {
    ServingChannel(Resources resources) {
        super(resources.provider());
    }

    /** @param timeout of a channel in blocking mode */
    abstract @Nullable SocketChannel accept(Duration timeout) throws IOException;

    /** {@return the address that it is bound to, also after the end; {@code null} before} */
    abstract @Nullable InetSocketAddress localAddress();
}

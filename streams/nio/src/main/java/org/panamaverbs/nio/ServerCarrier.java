package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What carries a server's channel: a channel of the JDK, or a listener of verbs from the moment that the channel is bound to its address. */
sealed interface ServerCarrier permits JdkServer, VerbsServer {
    /** {@return the address that it is bound to; {@code null} before} */
    @Nullable
    InetSocketAddress localAddress();

    /** {@return a peer; {@code null} if there is none} */
    @Nullable
    SocketChannel accept() throws IOException;

    /** {@return a peer, for which it waits; {@code null} if the program turns to non-blocking mode just then} */
    @Nullable
    SocketChannel accept(Duration timeout) throws IOException;

    /** {@return whether there is a peer over verbs} */
    boolean hasPeer();

    void close() throws IOException;
}

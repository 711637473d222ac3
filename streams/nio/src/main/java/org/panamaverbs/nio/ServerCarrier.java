package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** What carries a server's channel: a channel of the JDK, or a listener of verbs from the moment that the channel is bound to its address. */
sealed interface ServerCarrier permits JdkServer, VerbsServer {
    /** {@return the address that it is bound to; {@code null} before} */
    InetSocketAddress localAddress();

    /** {@return a peer; {@code null} if there is none} */
    SocketChannel accept() throws IOException;

    /** {@return a peer, for which it waits} */
    SocketChannel accept(Duration timeout) throws IOException;

    /** {@return whether there is a peer over verbs} */
    boolean hasPeer();

    void close() throws IOException;
}

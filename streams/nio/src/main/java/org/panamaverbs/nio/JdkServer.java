package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Verbs;

/** A channel of the JDK carries a server's channel. */
record JdkServer(ServerSocketChannel channel, Resources resources, ServerSocketChannel plain,
        ProtocolFamily family) implements ServerCarrier {
    @Override
    public @Nullable InetSocketAddress localAddress() {
        try {
            return (InetSocketAddress) plain.getLocalAddress();
        } catch (IOException e) {
            // It is closed.
            return null;
        }
    }

    private @Nullable SocketChannel accepted(@Nullable SocketChannel peer) throws IOException {
        return peer == null ? null : new VerbsSocketChannel(resources, peer, family);
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        return accepted(plain.accept());
    }

    @Override
    public @Nullable SocketChannel accept(Duration timeout) throws IOException {
        try {
            if (timeout.compareTo(Verbs.FOREVER) >= 0) {
                return accept();
            }
            plain.socket().setSoTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis())));
            return accepted(plain.socket().accept().getChannel());
        } finally {
            if (!plain.isOpen()) {
                // An interrupt closes the JDK's channel.
                channel.close();
            }
        }
    }

    @Override
    public boolean hasPeer() {
        // The JDK's key says it.
        return false;
    }

    @Override
    public void close() throws IOException {
        plain.close();
    }
}

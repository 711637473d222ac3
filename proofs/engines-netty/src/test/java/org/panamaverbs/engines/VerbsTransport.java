package org.panamaverbs.engines;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.spi.transport.Transport;
import org.panamaverbs.Device;
import org.panamaverbs.netty.VerbsIoHandler;
import org.panamaverbs.netty.VerbsServerSocketChannel;
import org.panamaverbs.netty.VerbsSocketChannel;

/** Vert.x over verbs: its event loops have streams and no datagrams, so names are to be resolved by the JDK. */
final class VerbsTransport implements Transport, io.vertx.core.transport.Transport {
    private final Device device;

    VerbsTransport(Device device) {
        this.device = device;
    }

    @Override
    public String name() {
        return "verbs";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return VerbsIoHandler.newFactory(device);
    }

    @Override
    public DatagramChannel datagramChannel() {
        throw new UnsupportedOperationException("event loops of verbs have no datagrams");
    }

    @Override
    @SuppressWarnings("deprecation")
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return datagramChannel();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        check(domainSocket);
        return VerbsSocketChannel::new;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        check(domainSocket);
        return VerbsServerSocketChannel::new;
    }

    private static void check(boolean domainSocket) {
        if (domainSocket) {
            throw new IllegalArgumentException("event loops of verbs have no domain sockets");
        }
    }
}

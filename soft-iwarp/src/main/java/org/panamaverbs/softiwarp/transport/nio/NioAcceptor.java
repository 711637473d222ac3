package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.spi.support.Rollback;

/** A listening TCP socket as a {@link ServerSocketChannel}. */
final class NioAcceptor implements Acceptor<Channel> {
    private final ServerSocketChannel socket;
    private final InetSocketAddress address;
    /** For accepted sockets: a listening one does not have the option. */
    private final int typeOfService;
    private final TcpOptions options;
    private final NioSource source;

    NioAcceptor(ServerSocketChannel socket, InetSocketAddress address, int typeOfService, TcpOptions options) {
        this.socket = socket;
        this.address = address;
        this.typeOfService = typeOfService;
        this.options = options;
        source = new NioSource(socket);
    }

    void register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        source.register(multiplexer, SelectionKey.OP_ACCEPT, handler);
    }

    @Override
    public Channel accept() {
        try (Rollback undo = new Rollback()) {
            SocketChannel peer = socket.accept();
            if (peer == null) {
                source.arm(SelectionKey.OP_ACCEPT);
                return null;
            }
            undo.add(() -> NioMultiplexer.closeQuietly(peer));
            peer.configureBlocking(false);
            NioMultiplexer.setOptions(peer, typeOfService, options);
            NioChannel channel = new NioChannel(peer, (InetSocketAddress) peer.getRemoteAddress(), true);
            undo.commit();
            return channel;
        } catch (ClosedChannelException e) {
            return null;
        } catch (IOException e) {
            throw Failures.of("accept on " + Route.text(address), "accept", e);
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        source.closePort();
    }
}

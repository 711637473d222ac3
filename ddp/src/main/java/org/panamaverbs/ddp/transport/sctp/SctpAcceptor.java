package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.SctpChannel;
import com.sun.nio.sctp.SctpServerChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Iterator;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioSource;

/** A listening SCTP socket as a {@link SctpServerChannel}. */
final class SctpAcceptor implements Acceptor<MessageChannel> {
    private final SctpServerChannel socket;
    private final InetSocketAddress address;
    private final NioSource source;

    SctpAcceptor(SctpServerChannel socket, InetSocketAddress address) {
        this.socket = socket;
        this.address = address;
        source = new NioSource(socket);
    }

    void register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        source.register(multiplexer, SelectionKey.OP_ACCEPT, handler);
    }

    @Override
    public MessageChannel accept() {
        SctpChannel peer = null;
        try {
            peer = socket.accept();
            if (peer == null) {
                source.arm(SelectionKey.OP_ACCEPT);
                return null;
            }
            peer.configureBlocking(false);
            SctpMessageChannel.setOptions(peer);
            Iterator<SocketAddress> remote = peer.getRemoteAddresses().iterator();
            if (remote.hasNext()) {
                return new SctpMessageChannel(peer, (InetSocketAddress) remote.next(), true);
            }
            SctpMessageChannel.closeQuietly(peer);
            return null;
        } catch (ClosedChannelException e) {
            return null;
        } catch (IOException e) {
            SctpMessageChannel.closeQuietly(peer);
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

package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.SctpChannel;
import com.sun.nio.sctp.SctpServerChannel;
import com.sun.nio.sctp.SctpStandardSocketOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/**
 * Makes associations of SCTP, and has a {@link NioMultiplexer} report when they are ready: as edges, like those of its other channels. Any
 * thread may call.
 *
 * <p>An endpoint is bound to one address (RFC 5043, 7.2), unless the program listens on the wildcard address. The JDK's channels have no
 * option for the Adaptation Indication (RFC 5043, 5.1): this side sends none and cannot see the peer's.
 */
public final class SctpTransport {
    private final NioMultiplexer multiplexer;

    /**
     * Makes the transport over a multiplexer.
     *
     * @param multiplexer reports the events
     * @throws org.panamaverbs.UnsupportedVerbException if SCTP does not work here
     */
    public SctpTransport(NioMultiplexer multiplexer) {
        SctpAvailability.require();
        this.multiplexer = multiplexer;
    }

    /**
     * Starts to connect. After an event, {@link MessageChannel#finishConnect()} returns the result.
     *
     * @param route   the addresses; the type of service has no option and is ignored
     * @param streams the number of streams to ask for in each direction, 1 to 65,535
     * @return a channel that need not be connected yet
     * @throws org.panamaverbs.SystemException   if connecting fails at once, or the local address does not belong to this machine
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    public MessageChannel connect(Route route, int streams) {
        InetSocketAddress remote = route.remote();
        String call = "open";
        SctpChannel socket = null;
        try {
            socket = SctpChannel.open();
            socket.configureBlocking(false);
            SctpMessageChannel.setOptions(socket);
            call = "bind";
            socket.bind(route.local().isPresent() ? route.local().get() : source(remote));
            call = "connect";
            return new SctpMessageChannel(socket, remote, socket.connect(remote, streams, streams));
        } catch (IOException e) {
            SctpMessageChannel.closeQuietly(socket);
            throw Failures.of("connect to " + route.describe(), call, e);
        }
    }

    /** The address from which the system sends to a peer, with any port: else the endpoint would have all addresses of the machine. */
    private static InetSocketAddress source(InetSocketAddress remote) throws IOException {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.connect(remote);
            return new InetSocketAddress(((InetSocketAddress) probe.getLocalAddress()).getAddress(), 0);
        }
    }

    /**
     * Listens.
     *
     * @param local   a resolved address; port 0 picks a free one
     * @param backlog the most peers that may wait
     * @param streams the number of streams to allow in each direction, 1 to 65,535
     * @return an acceptor
     * @throws org.panamaverbs.SystemException   if the address is in use or does not belong to this machine; the message names it
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    public Acceptor<MessageChannel> listen(InetSocketAddress local, int backlog, int streams) {
        Failures.requireResolved(local);
        SctpServerChannel socket = null;
        try {
            socket = SctpServerChannel.open();
            socket.configureBlocking(false);
            socket.setOption(SctpStandardSocketOptions.SCTP_INIT_MAXSTREAMS,
                    SctpStandardSocketOptions.InitMaxStreams.create(streams, streams));
            socket.bind(local, backlog);
            int port = ((InetSocketAddress) socket.getAllLocalAddresses().iterator().next()).getPort();
            return new SctpAcceptor(socket, new InetSocketAddress(local.getAddress(), port));
        } catch (IOException e) {
            SctpMessageChannel.closeQuietly(socket);
            throw Failures.of("listen on " + Route.text(local), "bind", e);
        }
    }

    /** Reports the events of a channel of this transport to a handler until the channel is closed; the result can direct them to another. */
    public Registration add(MessageChannel channel, Multiplexer.Handler handler) {
        return ((SctpMessageChannel) channel).register(multiplexer, handler);
    }

    /** Reports new peers of an acceptor of this transport to a handler until the acceptor is closed. */
    public void add(Acceptor<MessageChannel> acceptor, Multiplexer.Handler handler) {
        ((SctpAcceptor) acceptor).register(multiplexer, handler);
    }
}

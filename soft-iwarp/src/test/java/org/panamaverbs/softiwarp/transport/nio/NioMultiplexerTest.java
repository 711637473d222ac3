package org.panamaverbs.softiwarp.transport.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.BaseMultiplexerTestCase;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** The portable transport: the contract, and the parts of a route that reach the sockets. */
class NioMultiplexerTest extends BaseMultiplexerTestCase {
    private static final long SLEEP_NANOS = 200_000_000;
    /** More than the field has bits for. */
    private static final int NO_SERVICE = 1000;

    @Override
    protected Multiplexer open() {
        return new NioMultiplexer();
    }

    @Test
    void shouldNameTheAddressToConnectFromThatIsNotThisMachines() {
        Route route = Route.to(Peers.loopback(1)).from(new InetSocketAddress("192.0.2.1", 0));
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.connect(route));
        assertTrue(failure.getMessage().contains(" from 192.0.2.1:0: bind: "), failure.getMessage());
        assertTrue(failure.getMessage().contains("no network interface of this machine has this address"), failure.getMessage());
    }

    @Test
    void shouldKeepBothEndsAlive() throws IOException {
        TcpOptions options = new TcpOptions("", 20_000, 20_000);
        try (Multiplexer keeping = new NioMultiplexer(options); Peers kept = Peers.connectOnly(keeping)) {
            for (Peers.End end : new Peers.End[] { kept.client, kept.server }) {
                SocketChannel socket = ((NioChannel) end.channel).socket();
                assertTrue(socket.getOption(StandardSocketOptions.SO_KEEPALIVE));
                if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                    assertEquals(10, socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
                    assertEquals(2, socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL));
                    assertEquals(5, socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
                }
            }
        }
    }

    @Test
    void shouldMarkThePacketsOfEachEnd() throws IOException {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1, SERVICE);
        Channel client = multiplexer.connect(Route.to(acceptor.address()).withTypeOfService(0x28));
        Channel server = null;
        while (server == null || client.finishConnect() == 0) {
            server = server == null ? acceptor.accept() : server;
        }
        assertEquals(0x28, ((NioChannel) client).socket().getOption(StandardSocketOptions.IP_TOS));
        assertEquals(SERVICE, ((NioChannel) server).socket().getOption(StandardSocketOptions.IP_TOS));
        client.close();
        server.close();
        acceptor.close();
    }

    @Test
    void shouldCloseAPeerThatItCannotServe() throws IOException {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1, NO_SERVICE);
        try (Socket peer = new Socket(acceptor.address().getAddress(), acceptor.address().getPort())) {
            IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, () -> {
                while (acceptor.accept() == null) {
                    Thread.onSpinWait();
                }
            });
            assertTrue(failure.getMessage().contains("IP_TOS"), failure::getMessage);
            peer.setSoTimeout(60_000);
            assertEquals(-1, peer.getInputStream().read());
        }
        acceptor.close();
    }

    /** Both are ready in one selection; the handler of the first closes the other one. */
    @Test
    void shouldSkipAPortThatAHandlerOfTheSameSelectionHasClosed() {
        DatagramPort one = multiplexer.bind(DatagramBinding.to(Peers.loopback(0)));
        DatagramPort other = multiplexer.bind(DatagramBinding.to(Peers.loopback(0)));
        multiplexer.add(one, events -> other.close());
        multiplexer.add(other, events -> one.close());
        assertEquals(1, multiplexer.select(-1));
        one.close();
        other.close();
    }

    /** Connecting may end before a selection reports it. What was armed for that report must not stay armed: it would end each selection. */
    @Test
    void shouldSleepAfterAConnectThatEndedBeforeItsEvent() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NioMultiplexer selecting = new NioMultiplexer();
            Channel channel = selecting.connect(Route.to((InetSocketAddress) server.getLocalSocketAddress()));
            selecting.add(channel, events -> {
                // It is connected already.
            });
            while (channel.finishConnect() == 0) {
                Thread.onSpinWait();
            }
            while (selecting.select(0) > 0) {
                // The channel is writable.
            }
            // A selection may end early once, for what it changed.
            selecting.select(1);
            long begin = System.nanoTime();
            assertEquals(0, selecting.select(SLEEP_NANOS));
            long taken = System.nanoTime() - begin;
            assertTrue(taken >= SLEEP_NANOS / 2, "it slept for " + taken + " ns");
            channel.close();
            selecting.close();
        }
    }
}

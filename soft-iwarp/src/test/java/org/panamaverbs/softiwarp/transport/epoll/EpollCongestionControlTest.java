package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** The congestion control that the epoll transport sets, as the kernel tells it of the sockets. */
class EpollCongestionControlTest {
    /** Every Linux has it, and allows it to everybody; no usual system begins with it. */
    private static final String NAME = "reno";
    private static final Path SYSTEM = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");

    @BeforeEach
    void requireEpoll() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
    }

    @Test
    void shouldSetItAtBothEndsOfAConnection() {
        try (Multiplexer multiplexer = new EpollMultiplexer(TcpOptions.withCongestionControl(NAME));
                Peers peers = Peers.connectOnly(multiplexer)) {
            assertAll(() -> assertEquals(NAME, of(peers.client)), () -> assertEquals(NAME, of(peers.server)));
        }
    }

    @Test
    void shouldSetItAtTheEndThatAsksForIt() {
        try (Multiplexer listens = new EpollMultiplexer(TcpOptions.withCongestionControl(NAME));
                Multiplexer connects = new EpollMultiplexer(TcpOptions.withCongestionControl(""))) {
            Acceptor<Channel> acceptor = listens.listen(Peers.loopback(0), 1);
            Channel client = connects.connect(acceptor.address());
            Channel server = null;
            while (server == null || client.finishConnect() == 0) {
                server = server == null ? acceptor.accept() : server;
            }
            assertEquals(NAME, of((EpollChannel) server));
            client.close();
            server.close();
            acceptor.close();
        }
    }

    @Test
    void shouldLeaveItToTheSystemIfThereIsNoName() throws IOException {
        assumeTrue(Files.isReadable(SYSTEM));
        String system = Files.readString(SYSTEM).strip();
        try (Multiplexer multiplexer = new EpollMultiplexer(TcpOptions.withCongestionControl(""));
                Peers peers = Peers.connectOnly(multiplexer)) {
            assertAll(() -> assertEquals(system, of(peers.client)), () -> assertEquals(system, of(peers.server)));
        }
    }

    @Test
    void shouldNameSettingValueAndFilesIfTheKernelHasNoSuch() {
        try (Multiplexer multiplexer = new EpollMultiplexer(TcpOptions.withCongestionControl("nonsense"))) {
            SystemException listening = assertThrows(SystemException.class, () -> multiplexer.listen(Peers.loopback(0), 1));
            SystemException connecting = assertThrows(SystemException.class, () -> multiplexer.connect(Peers.loopback(1)));
            assertAll(() -> assertEquals(Libc.ENOENT(), listening.errorNumber()),
                    () -> assertEquals(Libc.ENOENT(), connecting.errorNumber()),
                    () -> assertEquals("listen on " + Route.text(Peers.loopback(0))
                            + ": setsockopt: ENOENT (2), No such file or directory: setting "
                            + "panamaverbs.softiwarp.congestion-control is \"nonsense\"; the kernel has those of "
                            + "/proc/sys/net/ipv4/tcp_available_congestion_control, and a process without CAP_NET_ADMIN may set those of "
                            + "/proc/sys/net/ipv4/tcp_allowed_congestion_control", listening.getMessage()),
                    () -> assertTrue(
                            connecting.getMessage().startsWith("connect to " + Route.text(Peers.loopback(1)) + ": setsockopt: ENOENT (2)"),
                            connecting::getMessage));
        }
    }

    private static String of(Peers.End end) {
        return of((EpollChannel) end.channel);
    }

    private static String of(EpollChannel channel) {
        Descriptor socket = channel.source().socket();
        assertTrue(socket.acquire());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(16);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) name.byteSize());
            assertEquals(0,
                    SocketCalls.getsockopt(Native.newErrno(arena), socket.fd(), Libc.IPPROTO_TCP(), Sockets.TCP_CONGESTION, name, size));
            return name.getString(0);
        } finally {
            socket.release();
        }
    }
}

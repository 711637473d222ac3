package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/** Who finds whose offer, and what a peer's greeting must have. */
class OfferTest {
    private static final long MAGIC = 0x3152_5650_676e_6952L;
    private static final int SEALS = SharedMemoryCalls.F_SEAL_SHRINK | SharedMemoryCalls.F_SEAL_GROW | SharedMemoryCalls.F_SEAL_SEAL;

    private Multiplexer multiplexer;

    @BeforeEach
    void open() {
        multiplexer = new SharedMultiplexer(new EpollMultiplexer(), false);
    }

    @AfterEach
    void close() {
        multiplexer.close();
    }

    private static void assertPath(Channel.Path expected, Multiplexer from, Acceptor<Channel> acceptor, InetSocketAddress to) {
        Channel client = from.connect(to);
        Channel server = null;
        while (server == null || client.finishConnect() == 0) {
            server = server == null ? acceptor.accept() : server;
        }
        assertEquals(1, client.finishConnect());
        assertEquals(expected, client.path());
        assertEquals(expected, server.path());
        assertEquals(to, server.localAddress());
        assertEquals(client.localAddress(), server.remoteAddress());
        client.close();
        server.close();
    }

    @Test
    void shouldFindTheOfferOfAListenerOfAllAddressesOfThisMachineAlone() throws Exception {
        Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress("0.0.0.0", 0), 4);
        int port = acceptor.address().getPort();
        assertPath(Channel.Path.SHARED_MEMORY, multiplexer, acceptor, new InetSocketAddress("127.0.0.1", port));
        List<InetAddress> own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && address.getAddress().length == 4).toList();
        for (InetAddress address : own) {
            assertPath(Channel.Path.SHARED_MEMORY, multiplexer, acceptor, new InetSocketAddress(address, port));
        }
        // 192.0.2.0/24 is nobody's (RFC 5737): the listener here must not be taken for that one.
        assertNull(Offer.connect(Route.to(new InetSocketAddress("192.0.2.1", port))));
        acceptor.close();
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldFindTheOfferOfAListenerOfAllAddressesByThoseOfBothFamilies(String all) {
        Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress(all, 0), 4);
        assumeTrue(acceptor.address().getAddress() instanceof Inet6Address, "no IPv6 here");
        for (String host : List.of("127.0.0.1", "127.3.2.1", "::1")) {
            assertPath(Channel.Path.SHARED_MEMORY, multiplexer, acceptor, new InetSocketAddress(host, acceptor.address().getPort()));
        }
        acceptor.close();
    }

    @Test
    void shouldTakeTcpWhereNothingIsOffered() {
        try (Multiplexer tcp = new EpollMultiplexer()) {
            Acceptor<Channel> plain = tcp.listen(Peers.loopback(0), 4);
            assertPath(Channel.Path.TCP, multiplexer, plain, plain.address());
            try (Multiplexer alone = new SharedMultiplexer(new EpollMultiplexer(), true)) {
                String message = assertThrows(SystemException.class, () -> alone.connect(plain.address())).getMessage();
                assertTrue(message.contains("no process of this user offers shared memory there"), message);
            }
            plain.close();
        }
    }

    @Test
    void shouldServePeersOverTcpBesideThoseOverMemory() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        try (Multiplexer tcp = new EpollMultiplexer()) {
            assertPath(Channel.Path.TCP, tcp, acceptor, acceptor.address());
            assertPath(Channel.Path.SHARED_MEMORY, multiplexer, acceptor, acceptor.address());
        }
        acceptor.close();
    }

    @Test
    void shouldListenWithoutAnOfferIfAnotherProcessHasTheName() {
        Acceptor<Channel> first = multiplexer.listen(Peers.loopback(0), 4);
        InetSocketAddress address = first.address();
        first.close();
        Descriptor squatter = Offer.listen(address);
        assertNotNull(squatter);
        String message = assertThrows(SystemException.class, () -> Offer.listen(address)).getMessage();
        assertTrue(message.contains("another process has its name"), message);
        Acceptor<Channel> second = multiplexer.listen(address, 4);
        squatter.close();
        assertPath(Channel.Path.TCP, multiplexer, second, address);
        second.close();
    }

    /** Another user may take a name first, and may connect to one. */
    @Test
    void shouldShareNothingWithAnotherUser() throws Exception {
        assumeTrue(SharedMemoryCalls.user() == 0, "only root can start a process of another user");
        assumeTrue(Stream.of("/usr/bin/python3", "/usr/bin/setpriv").allMatch(path -> Files.exists(Path.of(path))),
                "needs python3 and setpriv");
        try (Multiplexer tcp = new EpollMultiplexer()) {
            Acceptor<Channel> plain = tcp.listen(Peers.loopback(0), 4);
            String name = "panama-verbs/3/7f000001:" + plain.address().getPort();
            Process squatter = asAnother("s.bind('\\0" + name + "'); s.listen(4); print('ready', flush=True); time.sleep(60)");
            assertEquals("ready", squatter.inputReader().readLine());
            assertPath(Channel.Path.TCP, multiplexer, plain, plain.address());
            squatter.destroyForcibly().waitFor();
            plain.close();
        }
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        String name = "panama-verbs/3/7f000001:" + acceptor.address().getPort();
        Process intruder = asAnother("s.bind('\\0" + name + "/7f000001:4000'); s.connect('\\0" + name
                + "'); print(s.recv(1) if not time.sleep(0.2) else 0, flush=True)");
        while (intruder.isAlive()) {
            assertNull(acceptor.accept(), "it is no peer of shared memory");
        }
        assertEquals("b''", intruder.inputReader().readLine(), "it saw the end at once");
        assertEquals(0, intruder.waitFor());
        acceptor.close();
    }

    private static void assertRefused(Acceptor<Channel> acceptor, String reason) {
        Channel channel = null;
        while (channel == null) {
            channel = acceptor.accept();
        }
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(Channel.BROKEN, channel.read(Peers.vector(arena.allocate(1))));
        }
        String message = assertInstanceOf(PeerException.class, channel.failure()).getMessage();
        assertTrue(message.contains(reason), message);
        channel.close();
    }

    private static Process asAnother(String script) throws IOException {
        return new ProcessBuilder("/usr/bin/setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "/usr/bin/python3", "-c",
                "import socket, time; s = socket.socket(socket.AF_UNIX); " + script).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** What a peer sends first: bytes, and the descriptor of a file, or -1. */
    private record Start(String name, String objection, byte[] bytes, int file) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static byte[] greeting(long magic, int capacity) {
        byte[] bytes = new byte[12];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(magic).putInt(capacity);
        return bytes;
    }

    private static int file(long size, int seals) {
        int file = SharedMemoryCalls.create("test", size);
        assertEquals(0, SharedMemoryCalls.seal(file, seals));
        return file;
    }

    private static Stream<Start> starts() {
        int capacity = 1 << 16;
        long size = RingMemory.size(capacity);
        return Stream.of(new Start("another protocol", "is not that of this protocol", greeting(MAGIC + 1, capacity), file(size, SEALS)),
                new Start("a greeting cut short", "is not that of this protocol", new byte[5], file(size, SEALS)),
                new Start("no memory", "has no memory", greeting(MAGIC, capacity), -1),
                new Start("memory without seals", "not sealed", greeting(MAGIC, capacity), file(size, 0)),
                new Start("memory that may shrink", "not sealed", greeting(MAGIC, capacity),
                        file(size, SharedMemoryCalls.F_SEAL_GROW | SharedMemoryCalls.F_SEAL_SEAL)),
                new Start("memory that is too short", "has " + (size - 4096) + " bytes", greeting(MAGIC, capacity),
                        file(size - 4096, SEALS)),
                new Start("memory that is too long", "has " + (size + 4096) + " bytes", greeting(MAGIC, capacity),
                        file(size + 4096, SEALS)),
                new Start("rings of no size", "no power of two", greeting(MAGIC, 0), file(4096, SEALS)),
                new Start("rings of a negative size", "no power of two", greeting(MAGIC, Integer.MIN_VALUE), file(4096, SEALS)),
                new Start("rings of an odd size", "no power of two", greeting(MAGIC, 5000), file(RingMemory.size(5000), SEALS)),
                new Start("rings that are too large", "no power of two", greeting(MAGIC, 1 << 30), file(RingMemory.size(1 << 30), SEALS)),
                new Start("a socket in place of memory", "not sealed", greeting(MAGIC, capacity), socket()));
    }

    private static int socket() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            return SocketCalls.socket(errno, Libc.AF_INET(), Libc.SOCK_STREAM(), 0);
        }
    }

    @ParameterizedTest
    @MethodSource("starts")
    void shouldRefuseAGreetingThatIsWrongWithTheReason(Start start) {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        Offer.Connected peer = Offer.connect(Route.to(acceptor.address()));
        if (start.file() >= 0) {
            assertEquals(start.bytes().length, SharedMemoryCalls.send(peer.socket().fd(), start.bytes(), start.file()));
            Libc.close(start.file());
        } else {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(start.bytes().length).copyFrom(MemorySegment.ofArray(start.bytes()));
                SocketCalls.transferPart(Descriptor.UNREAD, false, peer.socket().fd(), bytes, 0, bytes.byteSize());
            }
        }
        Channel channel = null;
        while (channel == null) {
            channel = acceptor.accept();
        }
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(Channel.BROKEN, channel.read(Peers.vector(arena.allocate(1))));
            assertEquals(Channel.BROKEN, channel.write(Peers.vector(arena.allocate(1))));
        }
        String message = assertInstanceOf(PeerException.class, channel.failure()).getMessage();
        assertTrue(message.contains(start.objection()), message);
        channel.close();
        peer.socket().close();
        acceptor.close();
    }

    @Test
    void shouldWaitForAGreetingThatIsLate() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        Offer.Connected peer = Offer.connect(Route.to(acceptor.address()));
        Channel server = null;
        while (server == null) {
            server = acceptor.accept();
        }
        boolean[] readable = new boolean[1];
        multiplexer.add(server, events -> readable[0] |= (events & Multiplexer.READABLE) != 0);
        multiplexer.select(0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sink = arena.allocate(8);
            assertEquals(0, server.read(Peers.vector(sink)));
            readable[0] = false;
            SharedChannel client = SharedChannel.ofConnected(peer, "test", RingMemory.CAPACITY);
            assertEquals(3, client.write(Peers.vector(Peers.text(arena, "abc"))));
            long count = 0;
            while (count == 0) {
                while (!readable[0]) {
                    multiplexer.select(-1);
                }
                readable[0] = false;
                count = server.read(Peers.vector(sink));
            }
            assertEquals("abc", Peers.text(sink.asSlice(0, count)));
            client.close();
        }
        server.close();
        acceptor.close();
    }

    @Test
    void shouldNotTakeAPeerWithoutTheNameOfAConnector() throws Exception {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
        String name = "\0panama-verbs/3/7f000001:" + acceptor.address().getPort();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
            MemorySegment address = arena.allocate(2 + bytes.length).fill((byte) 0);
            address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) SharedMemoryCalls.AF_UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 2, bytes.length);
            int fd = SocketCalls.socket(errno, SharedMemoryCalls.AF_UNIX, Libc.SOCK_STREAM(), 0);
            assertEquals(0, SocketCalls.connect(errno, fd, address, (int) address.byteSize()));
            assertRefused(acceptor, "its socket has no name of a connector");
            assertEquals(0, SocketCalls.transferPart(errno, true, fd, arena.allocate(1), 0, 1), "it sees the end");
            Libc.close(fd);
        }
        acceptor.close();
        assertFalse(Offer.connect(Route.to(Peers.loopback(1))) != null);
    }
}

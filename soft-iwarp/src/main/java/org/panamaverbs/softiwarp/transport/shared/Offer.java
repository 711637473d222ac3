package org.panamaverbs.softiwarp.transport.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.RouteCalls;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.spi.AllAddresses;

/**
 * How two processes find each other: a listening TCP port offers shared memory by a Unix socket whose name has its address and port. The
 * connecting side's socket has a name, too, which contains both addresses of the connection. A link-local address has the index
 * of its interface.
 *
 * <pre>
 * listener    panama-verbs/3/7f000001:4420
 * connector   panama-verbs/3/7f000001:4420/7f000001:41022
 * </pre>
 *
 * <p>A name outlives its address: an address moves to another machine, and the process that listened there stays here. So the connecting
 * side first asks the kernel whether the route to the address ends on this machine. If it does, TCP would reach a listener of this network
 * namespace, and this one has the names of the namespace: that of the address comes first, then those of all addresses. Rules that
 * redirect an address (iptables REDIRECT and DNAT, IPVS) and the VRF of a process are not seen: with these, set the transport to epoll.
 *
 * <p>The names are abstract (unix(7)): they belong to a network namespace, need no file, and are free once the socket is closed. Any user
 * may take any name, so each side asks the kernel for the user at the other end, and shares memory with its own alone.
 */
// Tested by OfferTest, SharedMultiplexerTest.
final class Offer {
    private static final String PREFIX = "panama-verbs/3/";
    private static final int STREAM = Libc.SOCK_STREAM() | Libc.SOCK_NONBLOCK() | Libc.SOCK_CLOEXEC();
    /** A user of another user namespace looks like this one (user_namespaces(7)). */
    private static final long OVERFLOW_USER = 65534;
    /** Ports for connectors that do not choose one: the default range of net.ipv4.ip_local_port_range. */
    private static final int FIRST_FREE_PORT = 32768;
    private static final int LAST_FREE_PORT = 60999;
    private static final int TRIES = 64;
    /** Of a connector's name. */
    private static final int PARTS = 4;
    private static final int IPV6_BYTES = 16;

    private Offer() {
    }

    /**
     * An accepted peer.
     *
     * @param objection why it is not served, or {@code null}
     */
    record Accepted(Descriptor socket, InetSocketAddress local, InetSocketAddress remote, String objection) {
    }

    /** A connected socket, and the two addresses that its connection has. */
    record Connected(Descriptor socket, InetSocketAddress local, InetSocketAddress remote) {
    }

    private static String name(InetSocketAddress address) {
        int link = RouteCalls.link(address.getAddress());
        return HexFormat.of().formatHex(address.getAddress().getAddress()) + (link == 0 ? "" : "%" + link) + ":" + address.getPort();
    }

    private static InetSocketAddress address(String name) {
        try {
            int colon = name.indexOf(':');
            int port = Integer.parseInt(name.substring(colon + 1));
            String[] parts = name.substring(0, colon).split("%", -1);
            byte[] bytes = HexFormat.of().parseHex(parts[0]);
            return new InetSocketAddress(parts.length == 1 ? InetAddress.getByAddress(bytes)
                    : Inet6Address.getByAddress(null, bytes, Integer.parseInt(parts[1])), port);
        } catch (RuntimeException | UnknownHostException e) {
            return null;
        }
    }

    private static MemorySegment encode(Arena arena, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        // The first byte of an abstract name is zero.
        MemorySegment struct = arena.allocate(SharedMemoryCalls.PATH_OFFSET + 1 + bytes.length, Long.BYTES);
        struct.set(ValueLayout.JAVA_SHORT, 0, (short) SharedMemoryCalls.AF_UNIX);
        MemorySegment.copy(bytes, 0, struct, ValueLayout.JAVA_BYTE, SharedMemoryCalls.PATH_OFFSET + 1, bytes.length);
        return struct;
    }

    /** Opens a socket and closes it. Fails if the system forbids such sockets. */
    static void probe(String action) {
        try (Arena arena = Arena.ofConfined()) {
            open(Native.newErrno(arena), action).close();
        }
    }

    private static Descriptor open(MemorySegment errno, String action) {
        int fd = SocketCalls.socket(errno, SharedMemoryCalls.AF_UNIX, STREAM, 0);
        if (fd < 0) {
            int number = Native.errno(errno);
            throw Errno.isLimit(number) ? Failures.of(action, "socket", number)
                    : new SystemException(action + ": socket(AF_UNIX): " + Errno.describe(number), number);
        }
        return new Descriptor(fd);
    }

    /**
     * Offers shared memory to the peers of a port. Its queue is as long as the system allows, since the kernel lets no peer wait that does
     * not block: it refuses one with EAGAIN.
     *
     * @return the listening socket
     * @throws org.panamaverbs.SystemException if another process has the name, or the system forbids such sockets
     */
    static Descriptor listen(InetSocketAddress port) {
        String action = "offer shared memory at " + Route.text(port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            Descriptor socket = open(errno, action);
            return socket.orClose(() -> {
                MemorySegment name = encode(arena, PREFIX + name(port));
                if (SocketCalls.bind(errno, socket.fd(), name, (int) name.byteSize()) != 0) {
                    int number = Native.errno(errno);
                    throw Failures.of(action, "bind", number, Errno.text(number)
                            + (number == Errno.EADDRINUSE ? ": another process has its name (ss -xl | grep panama-verbs)" : ""));
                }
                if (SocketCalls.listen(errno, socket.fd(), Acceptor.LONGEST_QUEUE) != 0) {
                    throw Failures.of(action, "listen", Native.errno(errno));
                }
                return socket;
            });
        }
    }

    /**
     * Accepts the next peer, which may run as another user.
     *
     * @param listener the number of the socket
     * @return {@code null} if no peer waits
     */
    static Accepted accept(int listener, InetSocketAddress listening) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment name = arena.allocate(SharedMemoryCalls.ADDRESS_SIZE, Long.BYTES);
            while (true) {
                MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, SharedMemoryCalls.ADDRESS_SIZE);
                int fd = SocketCalls.accept4(errno, listener, name, size, Libc.SOCK_NONBLOCK() | Libc.SOCK_CLOEXEC());
                if (fd >= 0) {
                    Descriptor socket = new Descriptor(fd);
                    return socket.orClose(() -> accepted(socket, name, size.get(ValueLayout.JAVA_INT, 0), listening));
                }
                int number = Native.errno(errno);
                if (number == Errno.EAGAIN) {
                    return null;
                } else if (number != Errno.EINTR && number != Libc.ECONNABORTED()) {
                    throw Failures.of("accept on " + Route.text(listening), "accept4", number);
                }
            }
        }
    }

    private static Accepted accepted(Descriptor socket, MemorySegment struct, int size, InetSocketAddress listening) {
        InetSocketAddress unknown = new InetSocketAddress(listening.getAddress(), 0);
        int length = Math.min(size, SharedMemoryCalls.ADDRESS_SIZE) - SharedMemoryCalls.PATH_OFFSET - 1;
        byte[] bytes = new byte[Math.max(0, length)];
        MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, SharedMemoryCalls.PATH_OFFSET + 1, bytes, 0, bytes.length);
        String[] parts = new String(bytes, StandardCharsets.US_ASCII).split("/", -1);
        InetSocketAddress local = parts.length == PARTS ? address(parts[PARTS - 2]) : null;
        InetSocketAddress remote = parts.length == PARTS ? address(parts[PARTS - 1]) : null;
        boolean valid = local != null && remote != null && remote.getPort() != 0 && local.getPort() == listening.getPort();
        return valid ? new Accepted(socket, local, remote, null)
                : new Accepted(socket, listening, unknown, "its socket has no name of a connector");
    }

    /**
     * Connects to the offer of an address.
     *
     * @return {@code null} if this user has no process of this machine there that offers shared memory
     * @throws org.panamaverbs.SystemException with EAGAIN if the queue of the process is full
     */
    static Connected connect(Route route) {
        InetSocketAddress remote = route.remote();
        String action = "connect to " + route.describe();
        InetSocketAddress source = route.local().map(local -> bound(action, local)).orElse(new InetSocketAddress(0));
        InetAddress from = source.getAddress().isAnyLocalAddress() ? null : source.getAddress();
        if (remote.getAddress().isAnyLocalAddress() || !RouteCalls.isLocal(remote.getAddress(), from)) {
            return null;
        }
        InetSocketAddress wanted = new InetSocketAddress(from == null ? remote.getAddress() : from, source.getPort());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            Descriptor socket = open(errno, action);
            return socket.orClose(() -> {
                InetSocketAddress local = reach(arena, errno, action, socket, remote, wanted);
                if (local == null) {
                    socket.close();
                    return null;
                }
                return new Connected(socket, local, remote);
            });
        }
    }

    /** The address that TCP would bind: its rules of local addresses hold here, too. */
    private static InetSocketAddress bound(String action, InetSocketAddress local) {
        try (Socket probe = new Socket()) {
            probe.bind(local);
            return (InetSocketAddress) probe.getLocalSocketAddress();
        } catch (IOException e) {
            throw Failures.of(action, "bind", e);
        }
    }

    /** The local address of the connected socket, or {@code null}. */
    private static InetSocketAddress reach(Arena arena, MemorySegment errno, String action, Descriptor socket, InetSocketAddress remote,
            InetSocketAddress wanted) {
        InetSocketAddress local = bind(arena, errno, action, socket, remote, wanted);
        // As TCP does: a listener of the address comes before those of all addresses, of which that of IPv6 has both families.
        boolean connected = connect(arena, errno, action, socket, remote)
                || connect(arena, errno, action, socket,
                        new InetSocketAddress(AllAddresses.any(remote.getAddress().getAddress().length), remote.getPort()))
                || remote.getAddress() instanceof Inet4Address
                        && connect(arena, errno, action, socket, new InetSocketAddress(AllAddresses.any(IPV6_BYTES), remote.getPort()));
        return connected && isOwn(socket.fd()) ? local : null;
    }

    /** Connects to a name; {@code false} if no socket has it. */
    private static boolean connect(Arena arena, MemorySegment errno, String action, Descriptor socket, InetSocketAddress port) {
        MemorySegment name = encode(arena, PREFIX + name(port));
        if (SocketCalls.connect(errno, socket.fd(), name, (int) name.byteSize()) == 0) {
            return true;
        }
        int number = Native.errno(errno);
        if (number != Errno.ECONNREFUSED) {
            throw Failures.of(action, "connect", number);
        }
        return false;
    }

    /** Whether the process at the other end has the user of this one. */
    static boolean isOwn(int fd) {
        long user = SharedMemoryCalls.peerUser(fd);
        return user == Integer.toUnsignedLong(SharedMemoryCalls.user()) && user != OVERFLOW_USER;
    }

    /** Gives the socket the name that contains both addresses. */
    private static InetSocketAddress bind(Arena arena, MemorySegment errno, String action, Descriptor socket, InetSocketAddress remote,
            InetSocketAddress wanted) {
        int port = wanted.getPort();
        int number = 0;
        for (int i = 0; i < TRIES; i++) {
            int chosen = port != 0 ? port : ThreadLocalRandom.current().nextInt(FIRST_FREE_PORT, LAST_FREE_PORT + 1);
            InetSocketAddress local = new InetSocketAddress(wanted.getAddress(), chosen);
            MemorySegment name = encode(arena, PREFIX + name(remote) + "/" + name(local));
            if (SocketCalls.bind(errno, socket.fd(), name, (int) name.byteSize()) == 0) {
                return local;
            }
            number = Native.errno(errno);
            if (number != Errno.EADDRINUSE || port != 0) {
                break;
            }
        }
        throw Failures.of(action, "bind", number);
    }
}

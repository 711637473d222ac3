package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.spi.AllAddresses;

/** Makes TCP sockets: non-blocking, closed on exec and without Nagle's delay. Failures are exceptions. */
// Tested by EpollMultiplexerTest, TcpOptionsTest.
final class Sockets {
    private static final int FLAGS = Libc.SOCK_NONBLOCK() | Libc.SOCK_CLOEXEC();
    // Levels and options that the generated bindings lack: of linux/tcp.h and tcp(7), asm-generic/socket.h, linux/in.h and ip(7),
    // linux/in6.h and ipv6(7).
    /** The name of the congestion control. */
    static final int TCP_CONGESTION = 13;
    /** The kernel's probes of a silent peer: on or off, seconds before the first probe, seconds between two probes, their number. */
    static final int SO_KEEPALIVE = 9;
    static final int TCP_KEEPIDLE = 4;
    static final int TCP_KEEPINTVL = 5;
    static final int TCP_KEEPCNT = 6;
    /** Milliseconds, 1,000 to 120,000: the longest pause between two attempts to send again, and between two probes of a closed window. */
    static final int TCP_RTO_MAX_MS = 44;
    private static final int SO_LINGER = 13;
    /** struct linger: on, and for 0 s. Only read. */
    private static final MemorySegment LINGER_NOT = Arena.global().allocateFrom(ValueLayout.JAVA_INT, 1, 0);
    static final int IPPROTO_IP = 0;
    /** The type of service of IPv4. */
    static final int IP_TOS = 1;
    /** A bind to port 0 chooses no port; connecting does. */
    private static final int IP_BIND_ADDRESS_NO_PORT = 24;
    /** The traffic class of IPv6. */
    static final int IPV6_TCLASS = 67;
    /** Errors of accept4 for a peer that has left again, or that are pending on its connection: accept the next peer (accept(2)). */
    private static final int[] PEER_GONE = { Libc.ECONNABORTED(), Libc.ENETDOWN(), Libc.EPROTO(), Libc.ENOPROTOOPT(), Libc.EHOSTDOWN(),
            Libc.ENONET(), Libc.EHOSTUNREACH(), Libc.EOPNOTSUPP(), Libc.ENETUNREACH(), Errno.EINTR };

    /** An accepted connection. */
    record Accepted(Descriptor socket, InetSocketAddress local, InetSocketAddress remote) {
    }

    private Sockets() {
    }

    /** Makes a socket that starts to connect. */
    static Descriptor connect(Route route, TcpOptions options) {
        InetSocketAddress remote = route.remote();
        String action = "connect to " + route.describe();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            Descriptor socket = open(errno, action, remote, options);
            return socket.orClose(() -> connect(arena, errno, action, socket, route));
        }
    }

    private static Descriptor connect(Arena arena, MemorySegment errno, String action, Descriptor socket, Route route) {
        InetSocketAddress remote = route.remote();
        setTypeOfService(errno, action, socket, remote, route.typeOfService());
        if (route.local().isPresent()) {
            // Linux 4.2. Many connections to different peers may share a port, if the kernel picks it only when they connect.
            trySetOption(errno, socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
            bind(errno, action, socket, route.local().get());
        }
        MemorySegment address = SocketAddresses.encode(arena, remote);
        if (SocketCalls.connect(errno, socket.fd(), address, (int) address.byteSize()) != 0) {
            int number = Native.errno(errno);
            // After EINTR connecting continues, as after EINPROGRESS (connect(2)).
            if (number != Errno.EINPROGRESS && number != Errno.EINTR) {
                throw Failures.of(action, "connect", number);
            }
        }
        return socket;
    }

    /** Makes a socket that listens. */
    static Descriptor listen(InetSocketAddress local, int backlog, int typeOfService, TcpOptions options) {
        String action = "listen on " + Route.text(local);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            InetSocketAddress covered = AllAddresses.covering(local);
            Descriptor socket = open(errno, action, covered, options);
            return socket.orClose(() -> listen(errno, action, socket, covered, backlog, typeOfService));
        }
    }

    private static Descriptor listen(MemorySegment errno, String action, Descriptor socket, InetSocketAddress local, int backlog,
            int typeOfService) {
        setOption(errno, action, socket, Libc.SOL_SOCKET(), Libc.SO_REUSEADDR(), 1);
        if (SocketAddresses.isIpv6(local)) {
            // A listener on "::" accepts IPv4, too, for each value of net.ipv6.bindv6only.
            setOption(errno, action, socket, Libc.IPPROTO_IPV6(), Libc.IPV6_V6ONLY(), 0);
        }
        // Accepted sockets inherit it.
        setTypeOfService(errno, action, socket, local, typeOfService);
        if (AllAddresses.hasBothFamilies(local) && typeOfService != Route.USUAL_SERVICE) {
            setOption(errno, action, socket, IPPROTO_IP, IP_TOS, typeOfService);
        }
        bind(errno, action, socket, local);
        if (SocketCalls.listen(errno, socket.fd(), backlog) != 0) {
            throw Failures.of(action, "listen", Native.errno(errno));
        }
        return socket;
    }

    static void bind(MemorySegment errno, String action, Descriptor socket, InetSocketAddress local) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = SocketAddresses.encode(arena, local);
            if (SocketCalls.bind(errno, socket.fd(), address, (int) address.byteSize()) != 0) {
                throw Failures.of(action, "bind", Native.errno(errno));
            }
        }
    }

    /** The kernel keeps the two lower bits to itself, for congestion (RFC 3168). */
    private static void setTypeOfService(MemorySegment errno, String action, Descriptor socket, InetSocketAddress address, int service) {
        if (service == Route.USUAL_SERVICE) {
            return;
        }
        if (SocketAddresses.isIpv6(address)) {
            setOption(errno, action, socket, Libc.IPPROTO_IPV6(), IPV6_TCLASS, service);
        } else {
            setOption(errno, action, socket, IPPROTO_IP, IP_TOS, service);
        }
    }

    /** Accepts the next waiting connection, or returns {@code null}. */
    static Accepted accept(int listener, InetSocketAddress listening, TcpOptions options) {
        String action = "accept on " + listening;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment address = SocketAddresses.newStorage(arena);
            MemorySegment size = arena.allocate(ValueLayout.JAVA_INT);
            while (true) {
                size.set(ValueLayout.JAVA_INT, 0, (int) address.byteSize());
                int fd = SocketCalls.accept4(errno, listener, address, size, FLAGS);
                if (fd >= 0) {
                    Descriptor socket = new Descriptor(fd);
                    return socket.orClose(() -> {
                        setOptions(errno, action, socket, options);
                        return new Accepted(socket, localAddress(socket, action), SocketAddresses.decode(address));
                    });
                }
                int number = Native.errno(errno);
                if (number == Errno.EAGAIN) {
                    return null;
                }
                if (!isPeerGone(number)) {
                    throw Failures.of(action, "accept4", number);
                }
            }
        }
    }

    /** The local address. */
    static InetSocketAddress localAddress(Descriptor socket, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment address = SocketAddresses.newStorage(arena);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) address.byteSize());
            if (SocketCalls.getsockname(errno, socket.fd(), address, size) != 0) {
                throw Failures.of(action, "getsockname", Native.errno(errno));
            }
            return SocketAddresses.decode(address);
        }
    }

    /** The value of an option that is an int, or {@code otherwise} if the system does not return it. */
    static int option(MemorySegment errno, int fd, int level, int option, int otherwise) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) value.byteSize());
            return SocketCalls.getsockopt(errno, fd, level, option, value, size) == 0 ? value.get(ValueLayout.JAVA_INT, 0) : otherwise;
        }
    }

    private static Descriptor open(MemorySegment errno, String action, InetSocketAddress address, TcpOptions options) {
        int fd = SocketCalls.socket(errno, SocketAddresses.family(address), Libc.SOCK_STREAM() | FLAGS, 0);
        if (fd < 0) {
            throw Failures.of(action, "socket", Native.errno(errno));
        }
        Descriptor socket = new Descriptor(fd);
        return socket.orClose(() -> {
            setOptions(errno, action, socket, options);
            return socket;
        });
    }

    private static void setOptions(MemorySegment errno, String action, Descriptor socket, TcpOptions options) {
        setOption(errno, action, socket, Libc.IPPROTO_TCP(), Libc.TCP_NODELAY(), 1);
        setCongestionControl(errno, action, socket, options.congestionControl());
        if (options.keepsAlive()) {
            TcpOptions.KeepAlive keepAlive = options.keepAlive();
            setOption(errno, action, socket, Libc.SOL_SOCKET(), SO_KEEPALIVE, 1);
            setOption(errno, action, socket, Libc.IPPROTO_TCP(), TCP_KEEPIDLE, keepAlive.idle());
            setOption(errno, action, socket, Libc.IPPROTO_TCP(), TCP_KEEPINTVL, keepAlive.interval());
            setOption(errno, action, socket, Libc.IPPROTO_TCP(), TCP_KEEPCNT, keepAlive.probes());
        }
        if (options.userTimeoutMillis() > 0) {
            // Linux 6.15. Without it the kernel may ask a peer without room only every 2 minutes.
            trySetOption(errno, socket, Libc.IPPROTO_TCP(), TCP_RTO_MAX_MS, options.longestPause());
        }
    }

    /**
     * Closing the socket then drops unsent data and resets the connection, instead of trying for minutes. Needs no memory. Failures are
     * ignored.
     */
    static void dropOnClose(int fd) {
        SocketCalls.setsockopt(Descriptor.UNREAD, fd, Libc.SOL_SOCKET(), SO_LINGER, LINGER_NOT, (int) LINGER_NOT.byteSize());
    }

    static void setOption(MemorySegment errno, String action, Descriptor socket, int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_INT, value);
            if (SocketCalls.setsockopt(errno, socket.fd(), level, option, memory, (int) memory.byteSize()) != 0) {
                throw Failures.of(action, "setsockopt", Native.errno(errno));
            }
        }
    }

    /** Sets an option that the kernel may lack; {@code false} if it does. */
    static boolean trySetOption(MemorySegment errno, Descriptor socket, int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_INT, value);
            return SocketCalls.setsockopt(errno, socket.fd(), level, option, memory, (int) memory.byteSize()) == 0;
        }
    }

    /** The kernel returns ENOENT for an unknown name, and EPERM for one that the process may not choose. */
    private static void setCongestionControl(MemorySegment errno, String action, Descriptor socket, String name) {
        if (name.isEmpty()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            if (SocketCalls.setsockopt(errno, socket.fd(), Libc.IPPROTO_TCP(), TCP_CONGESTION, text, (int) text.byteSize()) != 0) {
                int number = Native.errno(errno);
                throw Failures.of(action, "setsockopt", number,
                        Errno.text(number) + ": setting " + TcpOptions.CONGESTION_CONTROL + " is \"" + name
                                + "\"; the kernel has those of /proc/sys/net/ipv4/tcp_available_congestion_control, and a process"
                                + " without CAP_NET_ADMIN may set those of /proc/sys/net/ipv4/tcp_allowed_congestion_control");
            }
        }
    }

    private static boolean isPeerGone(int number) {
        for (int gone : PEER_GONE) {
            if (number == gone) {
                return true;
            }
        }
        return false;
    }
}

package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.Failures;

/** Makes UDP sockets: non-blocking, closed on exec, members of a group if bound to one. Failures are exceptions. */
// Tested by EpollDatagramPortTest.
final class DatagramSockets {
    /** Of sys/socket.h; the generated bindings lack it, and what follows. */
    private static final int SOCK_DGRAM = 2;
    // Of asm-generic/socket.h and socket(7).
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SO_MEMINFO = 55;
    /** Of linux/sock_diag.h: the index of the count of dropped packets in what SO_MEMINFO returns, and the length of that. */
    private static final int SK_MEMINFO_DROPS = 8;
    private static final int SK_MEMINFO_VARS = 9;
    // Of linux/in.h and ip(7).
    private static final int IP_MTU = 14;
    private static final int IP_MULTICAST_IF = 32;
    private static final int IP_MULTICAST_TTL = 33;
    private static final int IP_MULTICAST_LOOP = 34;
    private static final int IP_ADD_MEMBERSHIP = 35;
    private static final int IP_MULTICAST_ALL = 49;
    // Of linux/in6.h and ipv6(7).
    private static final int IPV6_MULTICAST_IF = 17;
    private static final int IPV6_MULTICAST_HOPS = 18;
    private static final int IPV6_MULTICAST_LOOP = 19;
    private static final int IPV6_JOIN_GROUP = 20;
    private static final int IPV6_MTU = 24;
    private static final int IPV6_MULTICAST_ALL = 29;

    /** An IP packet has at most so many bytes: jumbograms need more than the mappings of DDP foresee. */
    private static final int LONGEST_PACKET = 65_535;

    /**
     * A bound socket.
     *
     * @param socket         the socket
     * @param action         the action that binds it, for messages
     * @param isIpv6         whether it is of IPv6
     * @param interfaceIndex the index of the interface for groups, or 0
     * @param segments       whether the system cuts long messages into datagrams (UDP_SEGMENT)
     */
    record Opened(Descriptor socket, String action, boolean isIpv6, int interfaceIndex, boolean segments) {
    }

    private DatagramSockets() {
    }

    static Opened open(DatagramBinding binding) {
        InetSocketAddress local = binding.local();
        boolean isIpv6 = SocketAddresses.isIpv6(local);
        String action = binding.describe();
        int index = binding.interfaceName().isEmpty() ? 0 : Failures.requireInterface(action, binding.interfaceName()).getIndex();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            Descriptor socket = newSocket(errno, action, isIpv6);
            return socket.orClose(() -> {
                if (binding.isGroup()) {
                    Sockets.setOption(errno, action, socket, Libc.SOL_SOCKET(), Libc.SO_REUSEADDR(), 1);
                }
                setReceiveBuffer(errno, action, socket, binding.receiveBuffer());
                setGroupOptions(errno, action, socket, isIpv6, index, binding.timeToLive());
                // Linux 5.0. Without it each datagram comes alone.
                Sockets.trySetOption(errno, socket, Messages.SOL_UDP, Messages.UDP_GRO, 1);
                // Linux 4.18. An older one would ignore the request to cut a message.
                boolean segments = Sockets.option(errno, socket.fd(), Messages.SOL_UDP, Messages.UDP_SEGMENT, -1) >= 0;
                MemorySegment address = SocketAddresses.encode(arena, local, index);
                if (SocketCalls.bind(errno, socket.fd(), address, (int) address.byteSize()) != 0) {
                    throw Failures.of(action, "bind", Native.errno(errno));
                }
                if (binding.isGroup()) {
                    join(errno, action, socket, local.getAddress(), isIpv6, index);
                }
                return new Opened(socket, action, isIpv6, index, segments);
            });
        }
    }

    private static Descriptor newSocket(MemorySegment errno, String action, boolean isIpv6) {
        int fd = SocketCalls.socket(errno, isIpv6 ? Libc.AF_INET6() : Libc.AF_INET(),
                SOCK_DGRAM | Libc.SOCK_NONBLOCK() | Libc.SOCK_CLOEXEC(), 0);
        if (fd < 0) {
            throw Failures.of(action, "socket", Native.errno(errno));
        }
        Descriptor socket = new Descriptor(fd);
        return socket.orClose(() -> {
            if (isIpv6) {
                Sockets.setOption(errno, action, socket, Libc.IPPROTO_IPV6(), Libc.IPV6_V6ONLY(), 1);
            }
            return socket;
        });
    }

    /** A process with CAP_NET_ADMIN may have more than net.core.rmem_max. */
    private static void setReceiveBuffer(MemorySegment errno, String action, Descriptor socket, int bytes) {
        if (bytes > 0 && !Sockets.trySetOption(errno, socket, Libc.SOL_SOCKET(), SO_RCVBUFFORCE, bytes)) {
            Sockets.setOption(errno, action, socket, Libc.SOL_SOCKET(), Libc.SO_RCVBUF(), bytes);
        }
    }

    private static void setGroupOptions(MemorySegment errno, String action, Descriptor socket, boolean isIpv6, int index, int timeToLive) {
        if (isIpv6) {
            Sockets.setOption(errno, action, socket, Libc.IPPROTO_IPV6(), IPV6_MULTICAST_HOPS, timeToLive);
            Sockets.setOption(errno, action, socket, Libc.IPPROTO_IPV6(), IPV6_MULTICAST_LOOP, 1);
            // Linux 4.20. Until then the address that the socket is bound to keeps other groups out.
            Sockets.trySetOption(errno, socket, Libc.IPPROTO_IPV6(), IPV6_MULTICAST_ALL, 0);
            if (index != 0) {
                Sockets.setOption(errno, action, socket, Libc.IPPROTO_IPV6(), IPV6_MULTICAST_IF, index);
            }
            return;
        }
        Sockets.setOption(errno, action, socket, Sockets.IPPROTO_IP, IP_MULTICAST_TTL, timeToLive);
        Sockets.setOption(errno, action, socket, Sockets.IPPROTO_IP, IP_MULTICAST_LOOP, 1);
        Sockets.setOption(errno, action, socket, Sockets.IPPROTO_IP, IP_MULTICAST_ALL, 0);
        if (index != 0) {
            try (Arena arena = Arena.ofConfined()) {
                set(errno, action, socket, Sockets.IPPROTO_IP, IP_MULTICAST_IF, membership(arena, null, index));
            }
        }
    }

    private static void join(MemorySegment errno, String action, Descriptor socket, InetAddress group, boolean isIpv6, int index) {
        try (Arena arena = Arena.ofConfined()) {
            if (!isIpv6) {
                set(errno, action, socket, Sockets.IPPROTO_IP, IP_ADD_MEMBERSHIP, membership(arena, group, index));
                return;
            }
            // struct ipv6_mreq: the group 0..15, the index of the interface 16..19
            MemorySegment membership = arena.allocate(20, Integer.BYTES);
            MemorySegment.copy(group.getAddress(), 0, membership, ValueLayout.JAVA_BYTE, 0, 16);
            membership.set(ValueLayout.JAVA_INT, 16, index);
            set(errno, action, socket, Libc.IPPROTO_IPV6(), IPV6_JOIN_GROUP, membership);
        }
    }

    /** {@code struct ip_mreqn}: the group 0..3, an address of the interface 4..7, the index of the interface 8..11. */
    private static MemorySegment membership(Arena arena, InetAddress group, int index) {
        MemorySegment membership = arena.allocate(12, Integer.BYTES);
        if (group != null) {
            MemorySegment.copy(group.getAddress(), 0, membership, ValueLayout.JAVA_BYTE, 0, 4);
        }
        membership.set(ValueLayout.JAVA_INT, 8, index);
        return membership;
    }

    private static void set(MemorySegment errno, String action, Descriptor socket, int level, int option, MemorySegment value) {
        if (SocketCalls.setsockopt(errno, socket.fd(), level, option, value, (int) value.byteSize()) != 0) {
            throw Failures.of(action, "setsockopt", Native.errno(errno));
        }
    }

    /** The MTU on the route to an address: only a connected socket has one, so a second socket connects. */
    static int mtu(Opened from, InetSocketAddress to) {
        String action = "find the MTU to " + Route.text(to);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            Descriptor socket = newSocket(errno, action, from.isIpv6());
            try {
                setGroupOptions(errno, action, socket, from.isIpv6(), from.interfaceIndex(), 1);
                // Nothing is sent; but port 0 is no destination.
                InetSocketAddress any = to.getPort() == 0 ? new InetSocketAddress(to.getAddress(), 9) : to;
                MemorySegment address = SocketAddresses.encode(arena, any, groupScope(from, any));
                if (SocketCalls.connect(errno, socket.fd(), address, (int) address.byteSize()) != 0) {
                    throw Failures.of(action, "connect", Native.errno(errno));
                }
                int level = from.isIpv6() ? Libc.IPPROTO_IPV6() : Sockets.IPPROTO_IP;
                int mtu = Sockets.option(errno, socket.fd(), level, from.isIpv6() ? IPV6_MTU : IP_MTU, -1);
                if (mtu < 0) {
                    throw Failures.of(action, "getsockopt", Native.errno(errno));
                }
                return Math.min(mtu, LONGEST_PACKET);
            } finally {
                socket.close();
            }
        }
    }

    /** The scope for an IPv6 group that has none: the interface for groups. */
    static int groupScope(Opened port, InetSocketAddress to) {
        return to.getAddress().isMulticastAddress() ? port.interfaceIndex() : 0;
    }

    /** The number of packets that the system dropped at a socket, or -1. */
    static long dropped(Descriptor socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(ValueLayout.JAVA_INT, SK_MEMINFO_VARS);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) values.byteSize());
            int result = SocketCalls.getsockopt(Native.newErrno(arena), socket.fd(), Libc.SOL_SOCKET(), SO_MEMINFO, values, size);
            boolean reported = result == 0 && size.get(ValueLayout.JAVA_INT, 0) > SK_MEMINFO_DROPS * Integer.BYTES;
            return reported ? Integer.toUnsignedLong(values.getAtIndex(ValueLayout.JAVA_INT, SK_MEMINFO_DROPS)) : -1;
        }
    }
}

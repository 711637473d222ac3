package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import org.panamaverbs.bindings.libc.Libc;

/**
 * Asks Linux for the route to an address, in this network namespace and at this moment (rtnetlink(7), RTM_GETROUTE). The kernel answers
 * within the call that asks. The bindings do not have these constants, which are the same on all processors.
 */
// Tested by RouteCallsTest, HeadersTest.
public final class RouteCalls {
    static final int AF_NETLINK = 16;
    static final int SOCK_RAW = 3;
    static final int NETLINK_ROUTE = 0;
    /** Bytes of {@code struct sockaddr_nl}. All but the family is 0 for the kernel. */
    static final int ADDRESS_SIZE = 12;

    /** Bytes of {@code struct nlmsghdr}, and the offsets of its fields. */
    static final int HEADER_SIZE = 16;
    static final int TYPE_OFFSET = 4;
    static final int FLAGS_OFFSET = 6;
    static final int NLM_F_REQUEST = 1;
    static final int RTM_NEWROUTE = 24;
    static final int RTM_GETROUTE = 26;

    /** Bytes of {@code struct rtmsg} behind it, and the offsets of its fields. */
    static final int ROUTE_SIZE = 12;
    static final int DESTINATION_LENGTH_OFFSET = 1;
    static final int SOURCE_LENGTH_OFFSET = 2;
    static final int ROUTE_TYPE_OFFSET = 7;
    /** The type of a route to this machine itself. */
    static final int RTN_LOCAL = 2;

    /** Bytes of {@code struct rtattr}, a length and a type, before each attribute. */
    static final int ATTRIBUTE_SIZE = 4;
    static final int RTA_DST = 1;
    static final int RTA_SRC = 2;
    static final int RTA_OIF = 4;

    /** More than the longest question, and than the answer up to the type of the route. */
    private static final int MESSAGE_SIZE = 256;

    private RouteCalls() {
    }

    /**
     * Whether a packet to an address would come back to this machine.
     *
     * @param destination an address of IPv4 or IPv6
     * @param source      the address to send from, of the same family; {@code null} if the kernel chooses it
     * @return {@code false} also if the kernel does not say: a sandbox may forbid the question
     */
    public static boolean isLocal(InetAddress destination, InetAddress source) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            int socket = SocketCalls.socket(errno, AF_NETLINK, SOCK_RAW | Libc.SOCK_CLOEXEC() | Libc.SOCK_NONBLOCK(), NETLINK_ROUTE);
            if (socket < 0) {
                return false;
            }
            try {
                MemorySegment kernel = arena.allocate(ADDRESS_SIZE, Integer.BYTES);
                kernel.set(ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
                // A connected socket receives from that address alone: no other process can answer.
                return SocketCalls.connect(errno, socket, kernel, ADDRESS_SIZE) == 0
                        && isLocal(errno, socket, arena.allocate(MESSAGE_SIZE, Integer.BYTES), destination, source);
            } finally {
                Libc.close(socket);
            }
        }
    }

    private static boolean isLocal(MemorySegment errno, int socket, MemorySegment message, InetAddress destination, InetAddress source) {
        int size = ask(message, destination, source);
        if (SocketCalls.transferPart(errno, false, socket, message, 0, size) != size) {
            return false;
        }
        long received = SocketCalls.transferPart(errno, true, socket, message.fill((byte) 0), 0, MESSAGE_SIZE);
        return received >= HEADER_SIZE + ROUTE_SIZE && message.get(ValueLayout.JAVA_SHORT, TYPE_OFFSET) == RTM_NEWROUTE
                && message.get(ValueLayout.JAVA_BYTE, HEADER_SIZE + ROUTE_TYPE_OFFSET) == RTN_LOCAL;
    }

    /** Writes the question; returns its size. */
    private static int ask(MemorySegment message, InetAddress destination, InetAddress source) {
        byte[] address = destination.getAddress();
        message.set(ValueLayout.JAVA_SHORT, TYPE_OFFSET, (short) RTM_GETROUTE);
        message.set(ValueLayout.JAVA_SHORT, FLAGS_OFFSET, (short) NLM_F_REQUEST);
        message.set(ValueLayout.JAVA_BYTE, HEADER_SIZE, (byte) (destination instanceof Inet6Address ? Libc.AF_INET6() : Libc.AF_INET()));
        message.set(ValueLayout.JAVA_BYTE, HEADER_SIZE + DESTINATION_LENGTH_OFFSET, (byte) (address.length * Byte.SIZE));
        int size = put(message, HEADER_SIZE + ROUTE_SIZE, RTA_DST, MemorySegment.ofArray(address));
        if (source != null) {
            message.set(ValueLayout.JAVA_BYTE, HEADER_SIZE + SOURCE_LENGTH_OFFSET, (byte) (address.length * Byte.SIZE));
            size = put(message, size, RTA_SRC, MemorySegment.ofArray(source.getAddress()));
        }
        int link = link(destination) != 0 ? link(destination) : link(source);
        if (link != 0) {
            size = put(message, size, RTA_OIF, MemorySegment.ofArray(new int[] { link }));
        }
        message.set(ValueLayout.JAVA_INT, 0, size);
        return size;
    }

    private static int put(MemorySegment message, int offset, int type, MemorySegment value) {
        int size = ATTRIBUTE_SIZE + (int) value.byteSize();
        message.set(ValueLayout.JAVA_SHORT, offset, (short) size);
        message.set(ValueLayout.JAVA_SHORT, offset + Short.BYTES, (short) type);
        MemorySegment.copy(value, 0, message, (long) offset + ATTRIBUTE_SIZE, value.byteSize());
        return offset + size;
    }

    /**
     * The index of the interface that a link-local address names; 0 for any other address. As for a socket, it counts for link-local
     * addresses alone (ipv6(7)).
     */
    public static int link(InetAddress address) {
        return address instanceof Inet6Address ip && ip.isLinkLocalAddress() ? ip.getScopeId() : 0;
    }
}

package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.softiwarp.transport.Failures;

/** The structs of the last addresses that a port sent to. Finding one that is here allocates nothing. For the sending thread. */
final class Destinations {
    private static final int ADDRESSES = 64;
    private static final long ROOM = 32;

    private final DatagramSockets.Opened port;
    private final MemorySegment memory;
    private final InetSocketAddress[] addresses = new InetSocketAddress[ADDRESSES];
    private int length;

    Destinations(DatagramSockets.Opened port) {
        this.port = port;
        memory = port.socket().memory().allocate(ADDRESSES * ROOM, Long.BYTES);
    }

    /** The native address of an address's struct; valid until this is called with another address. */
    long find(InetSocketAddress to) {
        int hash = to.hashCode();
        int index = (hash ^ hash >>> 16) & ADDRESSES - 1;
        if (!isSame(to, addresses[index])) {
            Failures.requireResolved(to);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment struct = SocketAddresses.encode(arena, to, DatagramSockets.groupScope(port, to));
                if (SocketAddresses.isIpv6(to) != port.isIpv6()) {
                    throw new IllegalArgumentException(
                            "a port of " + (port.isIpv6() ? "IPv6" : "IPv4") + " cannot send to " + Route.text(to));
                }
                length = (int) struct.byteSize();
                addresses[index] = null;
                memory.asSlice(index * ROOM, length).copyFrom(struct);
                addresses[index] = to;
            }
        }
        return memory.address() + index * ROOM;
    }

    /** The JDK calls two IPv6 addresses equal that differ in their interfaces. */
    private static boolean isSame(InetSocketAddress to, InetSocketAddress other) {
        if (to == other) {
            return true;
        }
        return to.equals(other) && (!(to.getAddress() instanceof Inet6Address a) || !(other.getAddress() instanceof Inet6Address b)
                || a.getScopeId() == b.getScopeId());
    }

    /** The bytes of each struct. */
    int length() {
        return length;
    }
}

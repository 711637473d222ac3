package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.sockaddr_in;
import org.panamaverbs.bindings.libc.sockaddr_in6;
import org.panamaverbs.bindings.libc.sockaddr_storage;

/** {@code struct sockaddr_in} and {@code struct sockaddr_in6}: socket addresses as the system wants them (ip(7), ipv6(7)). */
public final class SocketAddresses {
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {
    }

    /** The address family: AF_INET or AF_INET6. Java makes IPv4 of an IPv4-mapped IPv6 address, so those never come. */
    static int family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ? Libc.AF_INET6() : Libc.AF_INET();
    }

    /** The struct for an address; its size is the size to tell the system. */
    public static MemorySegment encode(Arena arena, InetSocketAddress address) {
        byte[] bytes = address.getAddress().getAddress();
        if (address.getAddress() instanceof Inet6Address ip) {
            MemorySegment struct = sockaddr_in6.allocate(arena).fill((byte) 0);
            sockaddr_in6.sin6_family(struct, (short) Libc.AF_INET6());
            struct.set(PORT, sockaddr_in6.sin6_port$offset(), (short) address.getPort());
            MemorySegment.copy(bytes, 0, struct, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes.length);
            sockaddr_in6.sin6_scope_id(struct, ip.getScopeId());
            return struct;
        }
        MemorySegment struct = sockaddr_in.allocate(arena).fill((byte) 0);
        sockaddr_in.sin_family(struct, (short) Libc.AF_INET());
        struct.set(PORT, sockaddr_in.sin_port$offset(), (short) address.getPort());
        MemorySegment.copy(bytes, 0, struct, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes.length);
        return struct;
    }

    /** Room for an address of either family. */
    static MemorySegment newStorage(Arena arena) {
        return sockaddr_storage.allocate(arena);
    }

    /** The address in a struct that the system has filled. */
    public static InetSocketAddress decode(MemorySegment struct) {
        try {
            if (sockaddr_in.sin_family(struct) == Libc.AF_INET6()) {
                byte[] bytes = new byte[16];
                MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes, 0, bytes.length);
                int scope = sockaddr_in6.sin6_scope_id(struct);
                int port = Short.toUnsignedInt(struct.get(PORT, sockaddr_in6.sin6_port$offset()));
                return new InetSocketAddress(Inet6Address.getByAddress(null, bytes, scope == 0 ? -1 : scope), port);
            }
            byte[] bytes = new byte[4];
            MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes, 0, bytes.length);
            int port = Short.toUnsignedInt(struct.get(PORT, sockaddr_in.sin_port$offset()));
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are addresses", e);
        }
    }
}

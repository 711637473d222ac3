package org.panamaverbs.softiwarp.transport.epoll;

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

/** Socket addresses as {@code struct sockaddr_in} and {@code struct sockaddr_in6} (ip(7), ipv6(7)). */
final class SocketAddresses {
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {
    }

    /** The IPv4 address if 16 bytes are a mapped one (RFC 4291, 2.5.5.2): it is that of an IPv4 peer of a listener of both families. */
    private static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are addresses", e);
        }
    }

    /** The address family: AF_INET or AF_INET6. Java turns an IPv4-mapped IPv6 address into an IPv4 address, so none occurs here. */
    static int family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ? Libc.AF_INET6() : Libc.AF_INET();
    }

    static boolean isIpv6(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address;
    }

    /** The struct of an address; the size of the segment is the size of the address for system calls. */
    static MemorySegment encode(Arena arena, InetSocketAddress address) {
        return encode(arena, address, 0);
    }

    /** As {@link #encode(Arena, InetSocketAddress)}; an IPv6 address without a scope gets this one (the index of an interface, or 0). */
    static MemorySegment encode(Arena arena, InetSocketAddress address, int scope) {
        byte[] bytes = address.getAddress().getAddress();
        if (address.getAddress() instanceof Inet6Address ip) {
            MemorySegment struct = sockaddr_in6.allocate(arena).fill((byte) 0);
            sockaddr_in6.sin6_family(struct, (short) Libc.AF_INET6());
            struct.set(PORT, sockaddr_in6.sin6_port$offset(), (short) address.getPort());
            MemorySegment.copy(bytes, 0, struct, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes.length);
            sockaddr_in6.sin6_scope_id(struct, ip.getScopeId() == 0 ? scope : ip.getScopeId());
            return struct;
        }
        MemorySegment struct = sockaddr_in.allocate(arena).fill((byte) 0);
        sockaddr_in.sin_family(struct, (short) Libc.AF_INET());
        struct.set(PORT, sockaddr_in.sin_port$offset(), (short) address.getPort());
        MemorySegment.copy(bytes, 0, struct, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes.length);
        return struct;
    }

    /** Memory for an address of either family. */
    static MemorySegment newStorage(Arena arena) {
        return sockaddr_storage.allocate(arena);
    }

    /** The address in a struct that is a part of a segment. */
    static InetSocketAddress decode(MemorySegment memory, long offset, int length) {
        return decode(memory.asSlice(offset, length));
    }

    /** The address in a struct that a system call has filled in. */
    static InetSocketAddress decode(MemorySegment struct) {
        if (sockaddr_in.sin_family(struct) != Libc.AF_INET6()) {
            byte[] bytes = new byte[4];
            MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes, 0, bytes.length);
            return new InetSocketAddress(of(bytes), Short.toUnsignedInt(struct.get(PORT, sockaddr_in.sin_port$offset())));
        }
        byte[] bytes = new byte[16];
        MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes, 0, bytes.length);
        int scope = sockaddr_in6.sin6_scope_id(struct);
        return new InetSocketAddress(scope == 0 ? of(bytes) : scoped(bytes, scope),
                Short.toUnsignedInt(struct.get(PORT, sockaddr_in6.sin6_port$offset())));
    }

    private static InetAddress scoped(byte[] bytes, int scope) {
        try {
            return Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes are an address", e);
        }
    }
}

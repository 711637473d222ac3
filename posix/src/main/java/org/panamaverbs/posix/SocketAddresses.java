package org.panamaverbs.posix;

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
public final class SocketAddresses {
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {
    }

    /** The address family: AF_INET or AF_INET6. */
    public static int family(InetSocketAddress address) {
        return isIpv6(address) ? Libc.AF_INET6() : Libc.AF_INET();
    }

    /** Whether it is an address of IPv6. Java turns an IPv4-mapped IPv6 address into an IPv4 address, so none occurs here. */
    public static boolean isIpv6(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address;
    }

    /** The struct of an address; the size of the segment is the size of the address for system calls. */
    public static MemorySegment encode(Arena arena, InetSocketAddress address) {
        return encode(arena, address, 0);
    }

    /** As {@link #encode(Arena, InetSocketAddress)}; an IPv6 address without a scope gets this one (the index of an interface, or 0). */
    public static MemorySegment encode(Arena arena, InetSocketAddress address, int scope) {
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
    public static MemorySegment newStorage(Arena arena) {
        return sockaddr_storage.allocate(arena);
    }

    /** The address in a struct that is a part of a segment. */
    public static InetSocketAddress decode(MemorySegment memory, long offset, int length) {
        return decode(memory.asSlice(offset, length));
    }

    /**
     * The address in a struct that a system call has filled in. An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) becomes an IPv4 address: a
     * listener of both families sees its IPv4 peers so.
     */
    public static InetSocketAddress decode(MemorySegment struct) {
        try {
            if (sockaddr_in.sin_family(struct) != Libc.AF_INET6()) {
                byte[] bytes = new byte[4];
                MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes, 0, bytes.length);
                return new InetSocketAddress(InetAddress.getByAddress(bytes), port(struct, sockaddr_in.sin_port$offset()));
            }
            byte[] bytes = new byte[16];
            MemorySegment.copy(struct, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes, 0, bytes.length);
            int scope = sockaddr_in6.sin6_scope_id(struct);
            InetAddress address = scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(address, port(struct, sockaddr_in6.sin6_port$offset()));
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are addresses", e);
        }
    }

    private static int port(MemorySegment struct, long offset) {
        return Short.toUnsignedInt(struct.get(PORT, offset));
    }
}

package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketAddressesTest {
    private static InetSocketAddress address(String host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    /** Families are in the order of the processor, which is little-endian; port and address in that of the network. */
    @ParameterizedTest
    @CsvSource({ "192.0.2.1, 258, 02000102c00002010000000000000000", "0.0.0.0, 65535, 0200ffff000000000000000000000000",
            "2001:db8::1, 258, 0a0001020000000020010db800000000000000000000000100000000",
            "fe80::1%3, 4711, 0a00126700000000fe80000000000000000000000000000103000000" })
    void shouldBeTheBytesOfTheStruct(String host, int port, String hex) throws UnknownHostException {
        InetSocketAddress address = host.contains("%")
                ? new InetSocketAddress(Inet6Address.getByAddress(null, InetAddress.getByName("fe80::1").getAddress(), 3), port)
                : address(host, port);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = SocketAddresses.encode(arena, address);
            assertArrayEquals(HexFormat.of().parseHex(hex), struct.toArray(ValueLayout.JAVA_BYTE));
            assertEquals(address, SocketAddresses.decode(struct));
            MemorySegment storage = SocketAddresses.newStorage(arena);
            MemorySegment.copy(struct, 0, storage, 8, struct.byteSize());
            assertEquals(address, SocketAddresses.decode(storage, 8, (int) struct.byteSize()));
        }
    }

    @Test
    void shouldGiveAScopeOnlyToAnAddressOfIpv6ThatHasNone() throws UnknownHostException {
        InetSocketAddress scoped = new InetSocketAddress(Inet6Address.getByAddress(null, InetAddress.getByName("ff02::1").getAddress(), 5),
                1);
        try (Arena arena = Arena.ofConfined()) {
            assertEquals("ff02:0:0:0:0:0:0:1%7", text(SocketAddresses.encode(arena, address("ff02::1", 1), 7)));
            assertEquals("ff02:0:0:0:0:0:0:1%5", text(SocketAddresses.encode(arena, scoped, 7)));
            assertEquals("224.0.0.1", text(SocketAddresses.encode(arena, address("224.0.0.1", 1), 7)));
        }
    }

    private static String text(MemorySegment struct) {
        return SocketAddresses.decode(struct).getAddress().getHostAddress();
    }

    /** The system names an IPv4 peer of a listener of both families so. */
    @Test
    void shouldTakeAMappedAddressForOneOfIpv4() throws UnknownHostException {
        byte[] mapped = HexFormat.of().parseHex("0a0001020000000000000000000000000000ffffc000020100000000");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment storage = SocketAddresses.newStorage(arena);
            MemorySegment.copy(mapped, 0, storage, ValueLayout.JAVA_BYTE, 0, mapped.length);
            assertEquals(address("192.0.2.1", 258), SocketAddresses.decode(storage));
        }
    }
}

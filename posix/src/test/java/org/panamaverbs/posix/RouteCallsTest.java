package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteCallsTest {
    @BeforeEach
    void needsLinux() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
    }

    // 192.0.2.0/24 and 2001:db8::/32 are for documentation (RFC 5737, RFC 3849): no machine has them.
    @ParameterizedTest
    @CsvSource({ "127.0.0.1, , true", "127.9.8.7, , true", "127.0.0.1, 127.0.0.2, true", "192.0.2.1, , false",
            "192.0.2.1, 127.0.0.1, false", "2001:db8::1, , false", "224.0.0.1, , false", "255.255.255.255, , false",
            "127.0.0.1, 192.0.2.1, false" })
    void shouldTellAddressesOfThisMachineFromOthers(String destination, String source, boolean local) throws Exception {
        InetAddress from = source == null ? null : InetAddress.getByName(source);
        boolean told = RouteCalls.isLocal(InetAddress.getByName(destination), from);
        assertTrue(local == told, () -> destination + " from " + source + ": " + told);
    }

    @Test
    void shouldTellAllAddressesOfInterfaces() throws Exception {
        List<InetAddress> own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
        for (InetAddress address : own) {
            assertTrue(RouteCalls.isLocal(address, null), address::toString);
            if (RouteCalls.link(address) != 0) {
                InetAddress elsewhere = Inet6Address.getByAddress(null, address.getAddress(), NetworkInterface.getByName("lo").getIndex());
                assertFalse(RouteCalls.isLocal(elsewhere, null), "the same address of another link: " + elsewhere);
            }
        }
    }
}

package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllAddressesTest {
    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldBindWhatTheJdkBinds(String all) throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open().bind(new InetSocketAddress(all, 0))) {
            InetAddress bound = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
            InetSocketAddress covering = AllAddresses.covering(new InetSocketAddress(all, 7));
            assertEquals(new InetSocketAddress(bound, 7), covering);
            assertEquals(bound.getAddress().length == 16, AllAddresses.hasBothFamilies(covering));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "::1", "192.0.2.1" })
    void shouldLeaveOtherAddressesAlone(String one) {
        InetSocketAddress address = new InetSocketAddress(one, 7);
        assertEquals(address, AllAddresses.covering(address));
        assertEquals(false, AllAddresses.hasBothFamilies(address));
    }

    @Test
    void shouldNameAllAddressesOfAFamily() {
        assertEquals("0.0.0.0", AllAddresses.any(4).getHostAddress());
        assertEquals("0:0:0:0:0:0:0:0", AllAddresses.any(16).getHostAddress());
    }
}

package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamedAddressesTest {
    @ParameterizedTest
    // @formatter:off
    @CsvSource(delimiter = ';', value = {
            "''; 10.1.2.3; 80; false",
            "*; 10.1.2.3; 80; true",
            "*; ::1; 80; true",
            "10.1.0.0/16; 10.1.2.3; 80; true",
            "10.1.0.0/16; 10.2.2.3; 80; false",
            "10.1.0.0/15; 10.0.255.255; 80; true",
            "10.1.0.0/15; 10.2.0.0; 80; false",
            "10.1.2.3; 10.1.2.3; 1; true",
            "10.1.2.3; 10.1.2.2; 1; false",
            "10.1.2.3/0; 200.1.1.1; 1; true",
            "10.1.2.3; ::1; 1; false",
            "[fd00::]/8; fd12::1; 1; true",
            "[fd00::]/8:7-8; fd12::1; 8; true",
            "[fd00::]/8:7-8; fd12::1; 9; false",
            "[::1]; ::1; 9; true",
            "*:7000-7999; 1.1.1.1; 7000; true",
            "*:7000-7999; 1.1.1.1; 8000; false",
            "*:7000; 1.1.1.1; 7000; true",
            "!*:80,*; 1.1.1.1; 80; false",
            "!*:80, *; 1.1.1.1; 81; true",
            "*,!*:80; 1.1.1.1; 80; true",
            "10.1.0.0/16; 0.0.0.0; 80; true",
            "!10.1.0.0/16,*; 0.0.0.0; 80; true",
            "10.1.0.0/16:81; 0.0.0.0; 80; false" })
    // @formatter:on
    void shouldMatch(String text, String address, int port, boolean matches) {
        assertEquals(matches, NamedAddresses.parse(text).contain(new InetSocketAddress(InetAddress.ofLiteral(address), port)));
    }

    @ParameterizedTest
    @ValueSource(strings = { "host", "10.1", "10.1.0.0/33", "10.1.0.0/-1", "*:x", "*:70000", "*:9-8", "[fd00::", "*/8", "!", "fd00::1" })
    void shouldRefuse(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> NamedAddresses.parse("10.0.0.1," + text)).getMessage();
        assertTrue(message.contains("\"" + text + "\"") || message.contains("in \""), message);
    }
}

package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({ "host, host, 7174", "host:1, host, 1", "192.0.2.1:65535, 192.0.2.1, 65535", "[::1]:5, ::1, 5", "[::1], ::1, 7174",
            "::1, ::1, 7174", ":9, '', 9" })
    void shouldReadAddresses(String text, String host, int port) {
        assertEquals(new HostPort(host, port), HostPort.parse(text, 7174));
    }

    @Test
    void shouldTakeALoneNumberForTheListenersPort() {
        assertEquals(new HostPort("", 9), HostPort.parseListener("9", 7174));
    }

    @ParameterizedTest
    @ValueSource(strings = { "host:", "host:-1", "host:65536", "host:x", "[::1]x" })
    void shouldRefuseTheRest(String text) {
        assertThrows(IllegalArgumentException.class, () -> HostPort.parse(text, 7174));
    }
}

package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;

class ConnectFailuresTest {
    /** Those of sun.nio.ch for the numbers of Linux. */
    @ParameterizedTest
    @CsvSource({ "111, ConnectException", "110, ConnectException", "113, NoRouteToHostException", "101, SocketException",
            "99, BindException", "98, BindException", "13, BindException", "22, SocketException" })
    void shouldHaveTheClassThatNioHas(int errorNumber, String type) {
        IOException failure = new IOException("lost", new PeerException("lost", new SystemException("connect", errorNumber)));
        IOException named = ConnectFailures.of(failure);
        assertEquals(type, named.getClass().getSimpleName());
        assertEquals("lost", named.getMessage());
        assertSame(failure, named.getCause());
    }
}

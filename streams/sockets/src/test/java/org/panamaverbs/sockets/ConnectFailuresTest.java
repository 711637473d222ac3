package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;

class ConnectFailuresTest {
    private static IOException of(VerbsException cause) {
        return new IOException(cause.getMessage(), cause);
    }

    /** The classes of sun.nio.ch for the numbers of Linux. */
    @ParameterizedTest
    @CsvSource({ "111, java.net.ConnectException, Connection refused", "110, java.net.ConnectException, Connection timed out",
            "113, java.net.NoRouteToHostException, No route to host", "101, java.net.SocketException, Network is unreachable",
            "99, java.net.BindException, Cannot assign requested address", "98, java.net.BindException, Address already in use",
            "13, java.net.BindException, Permission denied", "22, java.net.SocketException, Invalid argument" })
    void shouldHaveTheClassAndTheWordsOfTheJdk(int error, Class<?> expected, String words) {
        IOException failure = of(new SystemException("our reason", error));
        SocketException exception = ConnectFailures.asOfJdk(failure);
        assertSame(expected, exception.getClass());
        assertEquals(words + ": our reason", exception.getMessage());
        assertSame(failure, exception.getCause());
        assertTrue(ConnectFailures.concernsTcp(failure));
    }

    @Test
    void shouldLeaveTcpAChanceIfThePeerOrTheDeviceIsTheReason() {
        for (VerbsException cause : new VerbsException[] { new PeerException("not an MPA peer", null), new SystemException("reset", 104),
                new VerbsTimeoutException("no answer"), new SystemException("no device", 0), new SystemException("no device", 19) }) {
            assertFalse(ConnectFailures.concernsTcp(of(cause)), cause.getMessage());
            assertSame(ConnectException.class, ConnectFailures.asOfJdk(of(cause)).getClass());
        }
    }
}

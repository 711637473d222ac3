package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a connection that carries nothing is probed. */
class TcpOptionsTest {
    /** The kernel counts whole seconds; one probe at least must find an answer. */
    @ParameterizedTest
    @CsvSource({ "20000, 10, 2, 5", "30000, 15, 3, 5", "3000, 1, 1, 2", "2000, 1, 1, 1", "1, 1, 1, 1", "2001, 1, 1, 2",
            "3600000, 1800, 360, 5" })
    void shouldShareTheTimeBetweenSilenceAndProbes(int milliseconds, int idle, int interval, int probes) {
        assertEquals(new TcpOptions.KeepAlive(idle, interval, probes), new TcpOptions("", milliseconds, 0).keepAlive());
    }

    @Test
    void shouldNotProbeIfTheTimeIsZero() {
        assertFalse(TcpOptions.OF_SYSTEM.keepsAlive());
    }

    /** The kernel refuses less than a second, and more than two minutes. */
    @ParameterizedTest
    @CsvSource({ "20000, 5000", "500, 1000", "4000, 1000", "8000, 2000", "3600000, 120000" })
    void shouldPauseForAQuarterOfTheUserTimeout(int milliseconds, int pause) {
        assertEquals(pause, new TcpOptions("", 0, milliseconds).longestPause());
    }
}

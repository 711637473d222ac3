package org.panamaverbs.rdmacore.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortsTest {
    @ParameterizedTest
    @CsvSource({ "1, 1, 2.5", "2, 4, 40", "2, 16, 56", "2, 32, 100", "2, 64, 200", "2, -128, 400", "8, 8, 120", "16, 32, 50", "4, 2, 40",
            "0, 4, 0", "2, 0, 0" })
    void shouldKnowTheSpeedOverAllLanes(byte width, byte speed, double gigabits) {
        assertEquals(gigabits, Ports.lanes(width) * Ports.laneSpeed(speed));
    }
}

package org.panamaverbs.compare.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DdpPlacementTest {
    @ParameterizedTest
    @ValueSource(ints = { 65536 })
    void shouldMeasureForAMoment(int size) throws Exception {
        String line = BothEnds.run(DdpPlacement::main, size);
        double messages = BothEnds.number(line, "messagesPerSecond");
        assertTrue(messages > 0, line);
        assertEquals(size * messages, BothEnds.number(line, "bytesPerSecond"), size * messages / 100 + 1, line);
    }
}

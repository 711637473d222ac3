package org.panamaverbs.compare.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GrpcCallsTest {
    @Test
    void shouldMeasureForAMoment() throws Exception {
        String line = BothEnds.run(GrpcCalls::main, 64);
        double messages = BothEnds.number(line, "messagesPerSecond");
        assertTrue(messages > 0, line);
        assertEquals(64 * messages, BothEnds.number(line, "bytesPerSecond"), messages, line);
    }
}

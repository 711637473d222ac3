package org.panamaverbs.ddp.sctp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** RFC 5043, 5.2.2 and 5.2.3, byte by byte. */
class SctpControlTest {
    @Test
    void shouldWriteTheMessage() {
        byte[] message = new byte[8];
        SctpSegment.ssn(MemorySegment.ofArray(message), 1, 0xFEDC);
        SctpControl.put(MemorySegment.ofArray(message), 1, SctpControl.REJECT, new byte[] { 0x55, 0x66 });
        assertArrayEquals(new byte[] { 0, (byte) 0xFE, (byte) 0xDC, 0, 3, 0x55, 0x66, 0 }, message);
    }

    @Test
    void shouldReadTheMessage() {
        MemorySegment message = MemorySegment.ofArray(new byte[] { 0, (byte) 0xFE, (byte) 0xDC, (byte) 0x80, 3, 0x55, 0x66, 0 });
        assertEquals(0xFEDC, SctpSegment.ssn(message, 1));
        assertEquals(0x8003, SctpControl.function(message, 1));
        assertArrayEquals(new byte[] { 0x55, 0x66 }, SctpControl.privateData(message, 1, 6));
        assertArrayEquals(new byte[0], SctpControl.privateData(message, 1, 4));
    }

    @Test
    void shouldMeasureDistancesAcrossTheWrap() {
        assertEquals(3, SctpSegment.distance(0xFFFE, 1));
        assertEquals(0xFFFD, SctpSegment.distance(1, 0xFFFE));
        assertEquals(0, SctpSegment.distance(7, 7));
    }

    @Test
    void shouldNameFunctions() {
        assertEquals("Session Initiate", SctpControl.name(1));
        assertEquals("Session Terminate", SctpControl.name(4));
        assertEquals("function code 5", SctpControl.name(5));
        assertEquals("function code 0", SctpControl.name(0));
    }
}

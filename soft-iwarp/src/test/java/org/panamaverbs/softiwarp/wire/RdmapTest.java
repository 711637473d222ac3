package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 5040, 4.1 and figure 4; RFC 7306, 4.1 and figure 2. */
class RdmapTest {
    /** The name, its control field, its queue or -1 if tagged, whether it is a Send, solicited, invalidates. */
    @ParameterizedTest
    @CsvSource({ "Write,           40, -1, false, false, false", "Read Request,    41, 1, false, false, false",
            "Read Response,   42, -1, false, false, false", "Send,            43, 0, true, false, false",
            "Send Invalidate, 44, 0, true, false, true", "Send SE,         45, 0, true, true, false",
            "Send SE Inv,     46, 0, true, true, true", "Terminate,       47, 2, false, false, false",
            "Immediate Data,  48, 0, false, false, false", "Immediate SE,    49, 0, false, true, false",
            "Atomic Request,  4A, 1, false, false, false", "Atomic Response, 4B, 3, false, false, false" })
    void shouldKnowEachMessage(String name, String wire, int queue, boolean send, boolean solicited, boolean invalidates) {
        int control = Integer.parseInt(wire, 16);
        int opcode = Rdmap.opcode(control);
        assertEquals(Rdmap.VERSION, Rdmap.version(control));
        assertEquals(control, Rdmap.control(opcode));
        assertEquals(queue < 0, Rdmap.isTagged(opcode));
        for (int i = 0; i < Rdmap.QUEUES; i++) {
            assertEquals(i == queue, Rdmap.isFor(opcode, i), name);
        }
        assertEquals(send, Rdmap.isSend(opcode));
        assertEquals(solicited, Rdmap.isSolicited(opcode));
        assertEquals(invalidates, Rdmap.invalidates(opcode));
        assertEquals(opcode >= 8, Rdmap.isExtension(opcode));
        assertEquals(opcode == 8 || opcode == 9, Rdmap.isImmediate(opcode));
        if (send) {
            assertEquals(opcode, Rdmap.sendOpcode(solicited, invalidates));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 12, 13, 14, 15 })
    void shouldKnowNoQueueForOtherOpcodes(int opcode) {
        assertFalse(Rdmap.isTagged(opcode));
        assertFalse(Rdmap.isSend(opcode));
        for (int i = -3; i <= Rdmap.QUEUES; i++) {
            assertFalse(Rdmap.isFor(opcode, i));
        }
    }

    @Test
    void shouldReadVersionAndOpcodeWithoutTheReservedBits() {
        assertEquals(1, Rdmap.version(0x73));
        assertEquals(Rdmap.SEND, Rdmap.opcode(0x73));
        assertEquals(3, Rdmap.version(0xC0));
    }
}

package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields of a segment, as far as the file has them. */
class DdpSegmentTest {
    private static final int HEADER = 18;

    /** A Read Request, an Atomic Request, a Terminate without a header, and Immediate Data. */
    @ParameterizedTest
    @CsvSource({ "1, 28, readLength", "10, 52, atomic", "7, 4, error", "8, 8, immediate" })
    void shouldLeaveOutWhatTheFileLacks(int opcode, int size, String field) {
        byte[] segment = MpaBytes.untagged(opcode, size);
        DdpSegment whole = new DdpSegment(segment, segment.length);
        assertTrue(whole.fields().containsKey(field) && !whole.fields().containsKey("cut"), whole::text);
        for (int readable = HEADER; readable < segment.length; readable++) {
            DdpSegment cut = new DdpSegment(segment, readable);
            assertFalse(cut.fields().containsKey(field) || cut.fields().containsKey("malformed"), cut::text);
            assertEquals(true, cut.fields().get("cut"));
            assertEquals(size, cut.fields().get("payload"));
        }
    }

    /** They are too short on the wire, whatever the file has of them. */
    @ParameterizedTest
    @CsvSource({ "1, 27", "10, 51", "7, 3" })
    void shouldCallAMessageMalformedByItsLengthOnTheWire(int opcode, int size) {
        byte[] segment = MpaBytes.untagged(opcode, size);
        assertTrue(new DdpSegment(segment, segment.length).fields().containsKey("malformed"));
        assertTrue(new DdpSegment(segment, HEADER).fields().containsKey("malformed"));
    }

    @Test
    void shouldLeaveOutTheHeaderInATerminateThatTheFileLacks() {
        byte[] segment = MpaBytes.untagged(7, 6 + 18);
        segment[HEADER] = 0x12;
        segment[HEADER + 1] = 2;
        segment[HEADER + 2] = (byte) 0xC0;
        segment[HEADER + 6] = 0x41;
        segment[HEADER + 7] = 0x43;
        assertTrue(new DdpSegment(segment, segment.length).fields().containsKey("terminatedSequence"));
        DdpSegment operation = new DdpSegment(segment, HEADER + 6 + 14);
        assertEquals(List.of("Send", true), List.of(operation.fields().get("terminatedOperation"), operation.fields().get("cut")));
        DdpSegment error = new DdpSegment(segment, HEADER + 4);
        assertFalse(error.fields().containsKey("terminatedOperation"), error::text);
        assertTrue(error.text().contains("no buffer available") && error.text().endsWith(", the rest is cut"), error::text);
    }

    @Test
    void shouldNameTerminatesInBothForms() {
        // Of the RFC: DDP, tagged, bounds, with the header of the Write; of siw: layer and type swapped, M D R at the other end.
        ByteBuffer ours = ByteBuffer.allocate(18 + 6 + 14).putShort((short) 0x4147).putInt(0).putInt(2).putInt(1).putInt(0).put((byte) 0x11)
                .put((byte) 1).put((byte) 0xC0).put((byte) 0).putShort((short) 100).putShort((short) 0xC140).putInt(0x1234).putLong(0x5678);
        Map<String, Object> fields = new DdpSegment(ours.array(), ours.limit()).fields();
        assertEquals(List.of(1, 1, 1, false),
                List.of(fields.get("layer"), fields.get("errorType"), fields.get("errorCode"), fields.get("siwForm")));
        assertEquals("DDP, tagged buffer error: base or bounds violation", fields.get("error"));
        assertEquals("Write", fields.get("terminatedOperation"));
        assertEquals("0x5678", fields.get("terminatedOffset"));
        ByteBuffer siw = ByteBuffer.allocate(18 + 4).putShort((short) 0x4147).putInt(0).putInt(2).putInt(1).putInt(0).put((byte) 0x02)
                .put((byte) 2).putShort((short) 0);
        fields = new DdpSegment(siw.array(), siw.limit()).fields();
        assertEquals("MPA, MPA error: CRC error", fields.get("error"));
        assertEquals(true, fields.get("siwForm"));
    }
}

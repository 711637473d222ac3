package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class FpduTest {
    /** RFC 5044, 4.3: a Marker stands at every 512th byte from the first FPDU on, and the CRC covers those within its FPDU. */
    @Test
    void shouldTakeMarkersOut() {
        byte[] ulpdu = new byte[1200];
        new Random(1).nextBytes(ulpdu);
        ByteBuffer plain = ByteBuffer.allocate(2 + 1200 + 2).putShort((short) 1200).put(ulpdu);
        ByteBuffer raw = ByteBuffer.allocate(2000);
        for (int i = 0; i < plain.limit(); i++) {
            if (raw.position() % 512 == 0) {
                raw.putShort((short) 0).putShort((short) raw.position());
            }
            raw.put(plain.get(i));
        }
        CRC32C crc = new CRC32C();
        crc.update(raw.array(), 0, raw.position());
        raw.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue());
        byte[] bytes = Arrays.copyOf(raw.array(), raw.position());
        Direction direction = new Direction(Limits.USUAL.direction());
        direction.add(new TcpSegment(null, null, 7, 0, bytes, bytes.length));
        Fpdu fpdu = new Fpdu(direction, 0);
        assertTrue(fpdu.hasLength());
        assertEquals(bytes.length, fpdu.size());
        assertEquals("good", fpdu.check(true));
        assertEquals(ByteBuffer.wrap(ulpdu), ByteBuffer.wrap(fpdu.ulpdu()));
    }
}

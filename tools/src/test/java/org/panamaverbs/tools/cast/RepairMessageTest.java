package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepairMessageTest {
    private final MemorySegment message = Arena.ofAuto().allocate(RepairMessage.MOST);

    private String hex(int length) {
        return HexFormat.of().formatHex(message.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldWriteHoles() {
        Holes holes = new Holes(0x0102030405L);
        holes.fill(0, 0x0102030400L);
        holes.fill(0x0102030401L, 1);
        assertEquals("48" + "0000000102030400" + "0000000000000001" + "0000000102030402" + "0000000000000003",
                hex(RepairMessage.putHoles(message, holes)));
    }

    @Test
    void shouldWriteTheFirst80Holes() {
        Holes holes = new Holes(1000);
        for (int i = 0; i < 1000; i += 2) {
            holes.fill(i, 1);
        }
        int length = RepairMessage.putHoles(message, holes);
        assertAll(() -> assertEquals(1 + 80 * 16, length), () -> assertEquals(159, RepairMessage.offset(message, 79)),
                () -> assertEquals(1, RepairMessage.length(message, 79)));
    }

    @Test
    void shouldWriteAChecksum() {
        assertEquals("44" + "fedcba98", hex(RepairMessage.putChecksum(message, RepairMessage.DONE, 0xfedcba98)));
    }

    @ParameterizedTest
    @CsvSource({ "'',0", "00,0", "48,72", "4800,0", "480000000000000000000000000000000000,0", "4800000000000000000000000000000000,72",
            "44,0", "4401020304,68", "440102030405,0", "45,69", "4501,0", "4501020304,69", "5801020304,0" })
    void shouldKnowSoundMessages(String text, byte kind) {
        assertEquals(kind, RepairMessage.kind(MemorySegment.ofArray(HexFormat.of().parseHex(text))));
    }

    @Test
    void shouldNotTakeMoreHolesThanAMessageMayHave() {
        MemorySegment longer = Arena.ofAuto().allocate(1 + 81 * 16);
        longer.set(ValueLayout.JAVA_BYTE, 0, RepairMessage.HOLES);
        assertEquals(RepairMessage.NONE, RepairMessage.kind(longer));
    }
}

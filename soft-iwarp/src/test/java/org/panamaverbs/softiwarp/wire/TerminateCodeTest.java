package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codes are those of RFC 5040, figure 9; RFC 5041, 7.2; RFC 5044, 8; RFC 6581, 8: all of them, and no others. */
class TerminateCodeTest {
    private static final Map<String, Integer> CODES = Map.ofEntries(
            // RFC 5040, figure 9.
            Map.entry("LOCAL_CATASTROPHIC", 0x0000), Map.entry("RDMA_INVALID_STAG", 0x0100), Map.entry("RDMA_BOUNDS", 0x0101),
            Map.entry("RDMA_ACCESS", 0x0102), Map.entry("RDMA_STAG_NOT_OF_STREAM", 0x0103), Map.entry("RDMA_TO_WRAP", 0x0104),
            Map.entry("RDMA_CANNOT_INVALIDATE", 0x0109), Map.entry("RDMA_PROTECTION_UNSPECIFIED", 0x01FF),
            Map.entry("RDMA_VERSION", 0x0205), Map.entry("RDMA_OPCODE", 0x0206), Map.entry("RDMA_STREAM_CATASTROPHIC", 0x0207),
            Map.entry("RDMA_GLOBAL_CATASTROPHIC", 0x0208), Map.entry("RDMA_OPERATION_CANNOT_INVALIDATE", 0x0209),
            Map.entry("RDMA_UNSPECIFIED", 0x02FF),
            // RFC 5041, 7.2.
            Map.entry("DDP_LOCAL_CATASTROPHIC", 0x1000), Map.entry("TAGGED_INVALID_STAG", 0x1100), Map.entry("TAGGED_BOUNDS", 0x1101),
            Map.entry("TAGGED_STAG_NOT_OF_STREAM", 0x1102), Map.entry("TAGGED_TO_WRAP", 0x1103), Map.entry("TAGGED_VERSION", 0x1104),
            Map.entry("UNTAGGED_QUEUE", 0x1201), Map.entry("UNTAGGED_NO_BUFFER", 0x1202), Map.entry("UNTAGGED_MSN", 0x1203),
            Map.entry("UNTAGGED_OFFSET", 0x1204), Map.entry("UNTAGGED_TOO_LONG", 0x1205), Map.entry("UNTAGGED_VERSION", 0x1206),
            // RFC 5044, 8, and RFC 6581, 8.
            Map.entry("MPA_CLOSED", 0x2001), Map.entry("MPA_CRC", 0x2002), Map.entry("MPA_MARKER", 0x2003), Map.entry("MPA_START", 0x2004),
            Map.entry("MPA_LOCAL_CATASTROPHIC", 0x2005), Map.entry("MPA_INSUFFICIENT_IRD", 0x2006), Map.entry("MPA_NO_RTR", 0x2007));

    @Test
    void shouldHaveTheValuesOfTheRfcs() throws IllegalAccessException {
        Map<String, Integer> found = new TreeMap<>();
        for (Field field : TerminateCode.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers()) && !field.getName().equals("NONE")) {
                found.put(field.getName(), field.getInt(null));
            }
        }
        assertEquals(new TreeMap<>(CODES), found);
    }

    @Test
    void shouldNameEachCode() {
        for (int code : CODES.values()) {
            String text = TerminateCode.describe(code);
            assertTrue(!text.contains("unnamed") && !text.contains("unknown"), text);
        }
    }

    @ParameterizedTest
    @CsvSource({
            "0102, 'no right: was the region registered without REMOTE_READ, or REMOTE_ATOMIC for atomics? "
                    + "(RDMA layer, remote protection error: access rights violation; layer 0x0, type 0x1, code 0x02)'",
            "0103, 'the key is one of another protection domain or connection "
                    + "(RDMA layer, remote protection error: STag not associated with the stream; layer 0x0, type 0x1, code 0x03)'",
            "1203, 'DDP layer, untagged buffer error: message sequence number out of range (layer 0x1, type 0x2, code 0x03)'",
            "2002, 'MPA layer, CRC mismatch (layer 0x2, type 0x0, code 0x02)'",
            "00ff, 'RDMA layer, local catastrophic error (layer 0x0, type 0x0, code 0xff)'",
            "1000, 'a message could not be placed (DDP layer, local catastrophic error; layer 0x1, type 0x0, code 0x00)'",
            "1100, 'no such key, or no right to write: was the region closed, or registered without REMOTE_WRITE? "
                    + "(DDP layer, tagged buffer error: invalid STag; layer 0x1, type 0x1, code 0x00)'",
            "0142, 'RDMA layer, unnamed error (layer 0x0, type 0x1, code 0x42)'",
            "f3ff, 'unknown layer, unnamed error (layer 0xf, type 0x3, code 0xff)'" })
    void shouldDescribeWithNumbers(String error, String text) {
        assertEquals(text, TerminateCode.describe(Integer.parseInt(error, 16)));
    }

    @ParameterizedTest
    @CsvSource({ "0205, 0", "1104, 1", "2002, 2", "f000, 15" })
    void shouldTellTheLayer(String error, int layer) {
        assertEquals(layer, TerminateCode.layer(Integer.parseInt(error, 16)));
    }
}

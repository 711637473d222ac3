package org.panamaverbs.softiwarp.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5041, 5.2: its two examples, messages without length, and the short first segment of a long message. */
class DdpTransmitterTest {
    private static final int MULPDU = 1500;
    private static final int LONGEST = 64_704;

    private static List<Integer> cut(long length, int most, boolean beginsShort) {
        List<Integer> payloads = new ArrayList<>();
        long left = length;
        do {
            int payload = DdpTransmitter.payload(left, most, beginsShort && left == length);
            payloads.add(payload);
            left -= payload;
        } while (left > 0);
        return payloads;
    }

    @Test
    @Requirement({ "RFC5041-5.2-a", "RFC5044-3-c" })
    void shouldCutTheUntaggedMessageOfTheRfc() {
        assertEquals(List.of(1482, 566), cut(2048, MULPDU - Ddp.UNTAGGED_SIZE, false));
    }

    @Test
    @Requirement({ "RFC5041-5.2-a,g", "RFC5044-3-c" })
    void shouldCutTheTaggedMessageOfTheRfc() {
        assertEquals(List.of(1486, 562), cut(2048, MULPDU - Ddp.TAGGED_SIZE, true));
        assertEquals(17870, 16384 + cut(2048, MULPDU - Ddp.TAGGED_SIZE, true).getFirst());
    }

    @Test
    @Requirement("RFC5041-5.2-h")
    void shouldMakeExactlyOneSegmentOfAMessageWithoutLength() {
        assertEquals(List.of(0), cut(0, MULPDU, true));
    }

    @Test
    void shouldNotEndWithAnEmptySegment() {
        assertEquals(List.of(1486, 1486), cut(2 * 1486, 1486, true));
    }

    @Test
    void shouldBeginALongMessageWithAShortSegment() {
        assertEquals(List.of(DdpTransmitter.FIRST_PAYLOAD, 64 * 1024 - DdpTransmitter.FIRST_PAYLOAD), cut(64 * 1024, LONGEST, true));
        assertEquals(List.of(64 * 1024), cut(64 * 1024, 64 * 1024, false));
        assertEquals(List.of(8191), cut(8191, LONGEST, true));
    }
}

package org.panamaverbs.softiwarp.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.wire.Ddp;

/** RFC 5041, 5.2: its two examples, and what it says of messages without length. */
class SegmentationTest {
    private static final int MULPDU = 1500;

    private static List<Integer> cut(long length, int headerSize) {
        List<Integer> payloads = new ArrayList<>();
        long left = length;
        do {
            int payload = Segmentation.payload(left, MULPDU, headerSize);
            payloads.add(payload);
            left -= payload;
        } while (left > 0);
        return payloads;
    }

    @Test
    void shouldCutTheUntaggedMessageOfTheRfc() {
        assertEquals(List.of(1482, 566), cut(2048, Ddp.UNTAGGED_SIZE));
    }

    @Test
    void shouldCutTheTaggedMessageOfTheRfc() {
        assertEquals(List.of(1486, 562), cut(2048, Ddp.TAGGED_SIZE));
        assertEquals(17870, 16384 + cut(2048, Ddp.TAGGED_SIZE).getFirst());
    }

    @Test
    void shouldMakeExactlyOneSegmentOfAMessageWithoutLength() {
        assertEquals(List.of(0), cut(0, Ddp.TAGGED_SIZE));
    }

    @Test
    void shouldNotEndWithAnEmptySegment() {
        assertEquals(List.of(1486, 1486), cut(2 * 1486, Ddp.TAGGED_SIZE));
    }
}

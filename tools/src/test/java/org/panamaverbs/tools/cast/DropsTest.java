package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ddp.DdpCounters;

class DropsTest {
    private static DdpCounters counters(long malformed, long unknown, long outside, long late, long without, long tooLong, long refused) {
        return new DdpCounters(0, 0, 0, 0, 0, 0, malformed, unknown, outside, late, without, tooLong, refused);
    }

    @Test
    void shouldNameTheOptionsToCompare() {
        Drops drops = new Drops(0xffff1234);
        assertEquals("3055 messages dropped: 3055 for another STag than 0xffff1234 (is --stag the same at both ends?)",
                drops.text(counters(0, 3055, 0, 0, 0, 0, 0)));
        assertEquals("1 message dropped: 1 outside of FILE (is --size the size of the sender's file?)",
                drops.text(counters(0, 0, 1, 0, 0, 0, 0)));
        assertEquals(
                "15 messages dropped: 1 malformed (do both ends say --ordered, or neither?), 2 late (--ordered), "
                        + "7 untagged (do both ends say --repair, or neither?), 5 that could not be placed",
                drops.text(counters(1, 0, 0, 2, 3, 4, 5)));
    }

    @Test
    void shouldNotFillTheTerminal() {
        Drops drops = new Drops(5);
        List<Long> said = LongStream.range(0, 5000).filter(count -> drops.isDue(counters(0, count, 0, 0, 0, 0, 0))).boxed().toList();
        assertEquals(List.of(1L, 10L, 100L, 1000L), said);
    }
}

package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.statistics.PinnedMemory;

/** soft-iwarp has every count, so that the contract skips none. */
class SoftStatisticsTest {
    @Test
    void shouldCountEverything() throws Exception {
        try (Host host = new Host("nio")) {
            Host.Pair pair = host.connect();
            host.exchange(pair);
            for (String text : List.of(pair.client().queuePair.statistics().describe(), pair.client().queue.statistics().describe(),
                    host.device.statistics().describe())) {
                assertFalse(text.contains("not counted"), text);
            }
            assertTrue(pair.client().queuePair.statistics().toString().startsWith("requests posted 1, requests completed 1, "),
                    pair.client().queuePair.statistics()::toString);
        }
    }

    @Test
    void shouldPinNothing() {
        try (Host host = new Host("nio")) {
            host.region(5000, Access.LOCAL_WRITE);
            PinnedMemory memory = host.device.pinnedMemory();
            assertEquals(0, memory.pinnedBytes());
            assertEquals(OptionalLong.empty(), memory.limit());
            assertEquals(host.domain + " holds 5000 bytes in 1 region; no limit of locked memory (RLIMIT_MEMLOCK) applies",
                    memory.describe());
            assertEquals("protection domain 1 of soft-iwarp0", host.domain.toString());
        }
    }
}

package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.fixtures.Host;

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
}

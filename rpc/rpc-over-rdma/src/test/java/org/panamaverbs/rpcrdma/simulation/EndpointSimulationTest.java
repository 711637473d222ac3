package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs at random of two endpoints in one thread, held against a plain model ({@link Plan}, {@link SimulatedCall}, {@link CreditCheck}).
 *
 * <pre>
 * -Drpcrdma.seed=N   replays one run
 * -Drpcrdma.runs=N   so many runs; 500 if nothing is said
 * -Drpcrdma.first=N  the seed of the first; another one each time if nothing is said
 * </pre>
 */
class EndpointSimulationTest {
    private static final int RUNS = 500;

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void shouldKeepToTheModelWhateverHappens() {
        Long seed = Long.getLong("rpcrdma.seed");
        if (seed != null) {
            System.out.println("seed " + seed + ": " + new SimulatedWorld(seed).run());
            return;
        }
        long first = Long.getLong("rpcrdma.first", System.nanoTime() & 0x7FFF_FFFF_FFFFL);
        int runs = Integer.getInteger("rpcrdma.runs", RUNS);
        Map<String, Integer> ends = new TreeMap<>();
        for (int run = 0; run < runs; run++) {
            ends.merge(new SimulatedWorld(first + run).run(), 1, Integer::sum);
        }
        System.out.println(runs + " runs, first seed " + first + ": " + ends);
        int good = ends.entrySet().stream().filter(end -> end.getKey().startsWith("good")).mapToInt(Map.Entry::getValue).sum();
        assertTrue(good > runs / 4, () -> "too few good ends: " + ends);
    }
}

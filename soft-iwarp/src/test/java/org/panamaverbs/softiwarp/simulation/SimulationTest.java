package org.panamaverbs.softiwarp.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * Runs at random of two nodes, a network and a clock in one thread, held against a plain model ({@link Node}, {@link WireCheck}).
 *
 * <pre>
 * -Dsimulation.seed=N      replays one run
 * -Dsimulation.runs=N      so many runs; 100 if nothing is said, 400 in the profile proofs
 * -Dsimulation.minutes=N   as many as there is time for (profile soak)
 * -Dsimulation.first=N     the seed of the first; another one each time if nothing is said
 * -Dsimulation.log=N       so many lines of what happened before a failure; 60 if nothing is said
 * </pre>
 */
class SimulationTest {
    private static final int RUNS = Proofs.run() ? 400 : 100;

    /**
     * The peer has read all of a channel's offer, and says so; the program then invalidates the memory, of which the stream had not yet
     * heard that it was sent. No more than one run in 50,000 comes to that.
     */
    @Test
    void shouldCountWhatWasTakenBeforeItsMemoryIsInvalidated() {
        assertEquals("good / good", new World(2_531_256).run());
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    @Requirement({ "RFC5040-5.1-d", "RFC5040-5.2-a", "RFC5040-5.2.1-h,i", "RFC5040-5.2.2-e", "RFC5040-5.3-d,f", "RFC5040-5.4-h",
            "RFC5040-5.5-a,d..f,j", "RFC5040-6.1-a" })
    void shouldKeepToTheModelWhateverHappens() {
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            System.out.println("seed " + seed + ": " + new World(seed).run());
            return;
        }
        long first = Long.getLong("simulation.first", System.nanoTime() & 0x7FFF_FFFF_FFFFL);
        int minutes = Integer.getInteger("simulation.minutes", 0);
        long most = minutes > 0 ? Long.MAX_VALUE : Integer.getInteger("simulation.runs", RUNS);
        long deadline = System.nanoTime() + minutes * 60_000_000_000L;
        Map<String, Integer> ends = new TreeMap<>();
        Map<String, Integer> done = new TreeMap<>();
        long runs = 0;
        for (; runs < most && (minutes == 0 || System.nanoTime() < deadline); runs++) {
            World world = new World(first + runs);
            ends.merge(world.run(), 1, Integer::sum);
            world.count(done);
        }
        StringBuilder table = new StringBuilder(runs + " runs, first seed " + first + "; ends of client / server:");
        ends.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(end -> table.append("%n%8d  %s".formatted(end.getValue(), end.getKey())));
        table.append("%nrequests done:".formatted());
        done.forEach((kind, number) -> table.append("%n%8d  %s".formatted(number, kind)));
        System.out.println(table);
        assertTrue(ends.getOrDefault("good / good", 0) > runs / 4, () -> "too few good ends: " + table);
    }
}

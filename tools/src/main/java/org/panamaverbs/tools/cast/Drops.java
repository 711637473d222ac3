package org.panamaverbs.tools.cast;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.ddp.DdpCounters;

/** The messages that a catch drops, in words, and when to say so. */
final class Drops {
    private static final long STEP = 10;

    private final int stag;
    private long next = 1;

    /** @param stag of the file */
    Drops(int stag) {
        this.stag = stag;
    }

    /** Whether to say so now: at the first one, and each time that they are ten times as many. A sender cannot fill the terminal. */
    boolean isDue(DdpCounters counters) {
        if (counters.dropped() < next) {
            return false;
        }
        next = STEP * counters.dropped();
        return true;
    }

    /** All that was dropped so far, with the options to compare. */
    String text(DdpCounters counters) {
        List<String> reasons = new ArrayList<>();
        add(reasons, counters.unknownStags(), String.format("for another STag than 0x%x (is --stag the same at both ends?)", stag));
        add(reasons, counters.outOfBounds(), "outside of FILE (is --size the size of the sender's file?)");
        add(reasons, counters.malformed(), "malformed (do both ends say --ordered, or neither?)");
        add(reasons, counters.late(), "late (--ordered)");
        add(reasons, counters.withoutReceive() + counters.tooLong(), "untagged (do both ends say --repair, or neither?)");
        add(reasons, counters.refusedByBuffers(), "that could not be placed");
        return counters.dropped() + (counters.dropped() == 1 ? " message" : " messages") + " dropped: " + String.join(", ", reasons);
    }

    private static void add(List<String> reasons, long count, String words) {
        if (count > 0) {
            reasons.add(count + " " + words);
        }
    }
}

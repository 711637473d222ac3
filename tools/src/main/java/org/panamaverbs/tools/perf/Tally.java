package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.Capability;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairStatistics;

/**
 * What the passive end has received so far, as it tells the active end: three 64-bit numbers, big-endian.
 *
 * @param placedDirectly bytes that went straight into their place
 * @param staged         bytes that were copied there
 * @param messages       Sends received
 */
record Tally(long placedDirectly, long staged, long messages) {
    static final int LENGTH = 24;

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Of a queue pair, with zeros where its device does not count. */
    static Tally of(QueuePair pair, long messages) {
        if (!pair.domain().device().supports(Capability.PLACEMENT_STATISTICS)) {
            return new Tally(0, 0, messages);
        }
        QueuePairStatistics statistics = pair.statistics();
        return new Tally(statistics.bytesPlacedDirectly(), statistics.bytesStaged(), messages);
    }

    static Tally decode(MemorySegment from, long offset) {
        return new Tally(from.get(NUMBER, offset), from.get(NUMBER, offset + 8), from.get(NUMBER, offset + 16));
    }

    void encode(MemorySegment into, long offset) {
        into.set(NUMBER, offset, placedDirectly);
        into.set(NUMBER, offset + 8, staged);
        into.set(NUMBER, offset + 16, messages);
    }

    Tally minus(Tally earlier) {
        return new Tally(placedDirectly - earlier.placedDirectly, staged - earlier.staged, messages - earlier.messages);
    }
}

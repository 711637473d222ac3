package org.panamaverbs.tools.perf;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import org.panamaverbs.QueuePair;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The work of one end so far; the passive end tells the active one: 64-bit numbers, big-endian, in this order.
 *
 * @param placedDirectly bytes received that went straight into their place
 * @param staged         bytes received that were copied there
 * @param messages       Sends received
 * @param readCalls      system calls that received
 * @param writeCalls     system calls that sent
 * @param allocated      bytes that all threads of the process have allocated on the heap
 * @param compilerMillis how long the compilers of the process have worked, in milliseconds
 * @param sent           messages of its own that are done, if it sends some, too
 * @param nanos          since its process began to measure
 */
record Tally(long placedDirectly, long staged, long messages, long readCalls, long writeCalls, long allocated, long compilerMillis,
        long sent, long nanos) {
    static final int LENGTH = 72;
    static final Tally NOTHING = new Tally(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final long START = System.nanoTime();
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Of a queue pair, with zeros if its device does not count. */
    static Tally of(QueuePair pair, long messages, long sent) {
        QueuePairStatistics statistics = pair.statistics();
        return new Tally(statistics.bytesPlacedDirectly().orElse(0), statistics.bytesStaged().orElse(0), messages,
                statistics.readCalls().orElse(0), statistics.writeCalls().orElse(0), allocatedBytes(), Steadiness.compilerMillis(), sent,
                System.nanoTime() - START);
    }

    /** Of this process since its start, in bytes; 0 on a JVM that does not count them. */
    private static long allocatedBytes() {
        return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads ? Math.max(0, threads.getTotalThreadAllocatedBytes())
                : 0;
    }

    static Tally decode(MemorySegment from, long offset) {
        return new Tally(from.get(NUMBER, offset), from.get(NUMBER, offset + 8), from.get(NUMBER, offset + 16),
                from.get(NUMBER, offset + 24), from.get(NUMBER, offset + 32), from.get(NUMBER, offset + 40), from.get(NUMBER, offset + 48),
                from.get(NUMBER, offset + 56), from.get(NUMBER, offset + 64));
    }

    void encode(MemorySegment into, long offset) {
        into.set(NUMBER, offset, placedDirectly);
        into.set(NUMBER, offset + 8, staged);
        into.set(NUMBER, offset + 16, messages);
        into.set(NUMBER, offset + 24, readCalls);
        into.set(NUMBER, offset + 32, writeCalls);
        into.set(NUMBER, offset + 40, allocated);
        into.set(NUMBER, offset + 48, compilerMillis);
        into.set(NUMBER, offset + 56, sent);
        into.set(NUMBER, offset + 64, nanos);
    }

    Tally minus(Tally earlier) {
        return new Tally(placedDirectly - earlier.placedDirectly, staged - earlier.staged, messages - earlier.messages,
                readCalls - earlier.readCalls, writeCalls - earlier.writeCalls, allocated - earlier.allocated,
                compilerMillis - earlier.compilerMillis, sent - earlier.sent, nanos - earlier.nanos);
    }

    /** This connection and another one of the same process; its clock goes on, so the later time counts. */
    Tally plus(Tally other) {
        return new Tally(placedDirectly + other.placedDirectly, staged + other.staged, messages + other.messages,
                readCalls + other.readCalls, writeCalls + other.writeCalls, Math.max(allocated, other.allocated),
                Math.max(compilerMillis, other.compilerMillis), sent + other.sent, Math.max(nanos, other.nanos));
    }
}

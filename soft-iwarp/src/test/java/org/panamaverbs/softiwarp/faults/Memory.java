package org.panamaverbs.softiwarp.faults;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The memory of one end of a connection, as both ends know it:
 *
 * <pre>
 * constant     what the peer reads; it follows from the seed
 * in, out      a slot for each token: what the peer writes, and what is written to the peer's slot
 * sinks        what Reads bring
 * counter      the peer adds to it; result: what an atomic brings
 * received, said   messages
 * </pre>
 */
final class Memory {
    static final int TOKENS = 4;
    static final int SINKS = 2;
    static final int RECEIVES = 2 * TOKENS;
    /** The length of a message: token, sequence number, length and seed of what was written to the slot. */
    static final int MESSAGE = 32;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** The lengths of the parts, in bytes. A connection that idles has short ones. */
    final int constant;
    final int slot;
    final long in;
    final long out;
    final long sinks;
    final long counter;
    final long result;
    final long received;
    final long said;
    final MemorySegment all;

    Memory(Arena arena, boolean idle, long seed) {
        constant = idle ? 64 : 256 * 1024;
        slot = idle ? 64 : 64 * 1024;
        in = constant;
        out = in + (long) TOKENS * slot;
        sinks = out + (long) TOKENS * slot;
        counter = sinks + (long) SINKS * slot;
        result = counter + Long.BYTES;
        received = result + Long.BYTES;
        said = received + (long) RECEIVES * MESSAGE;
        all = arena.allocate(said + (long) TOKENS * MESSAGE, 64);
        fill(0, constant, seed, 0);
    }

    /** The seed of the constant part of one end. */
    static long seedOf(long round, int index, boolean client) {
        return round + GOLDEN * (2L * index + (client ? 1 : 2));
    }

    private static long word(long seed, long index) {
        long mixed = seed + GOLDEN * (index + 1);
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        return mixed ^ mixed >>> 27;
    }

    /** Fills words with a pattern, of which the first word has this index. */
    void fill(long offset, long length, long seed, long first) {
        for (long i = 0; i < length; i += Long.BYTES) {
            all.set(ValueLayout.JAVA_LONG, offset + i, word(seed, first + i / Long.BYTES));
        }
    }

    /** The offset of the first word that is not the pattern's, or -1. */
    long misfit(long offset, long length, long seed, long first) {
        for (long i = 0; i < length; i += Long.BYTES) {
            if (all.get(ValueLayout.JAVA_LONG, offset + i) != word(seed, first + i / Long.BYTES)) {
                return i;
            }
        }
        return -1;
    }

    long get(long offset) {
        return all.get(ValueLayout.JAVA_LONG, offset);
    }

    void set(long offset, long value) {
        all.set(ValueLayout.JAVA_LONG, offset, value);
    }
}

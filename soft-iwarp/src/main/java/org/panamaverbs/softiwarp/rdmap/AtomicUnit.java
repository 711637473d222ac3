package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.wire.AtomicRequest;

/**
 * Performs the peers' atomics on registered memory (RFC 7306, 5.1), in the byte order of this machine. Each atomic is one compare-and-set
 * of the processor. So it is atomic among all streams of all devices, and against atomic accesses of programs. One thread at a time uses a
 * unit.
 *
 * <p>On a mapped file an atomic is a read and a write under a lock of this process. So it is atomic among the streams of this process
 * alone. If another process truncates the file, the JVM survives a read and a write, but not a compare-and-set in code that is not
 * compiled.
 */
final class AtomicUnit {
    private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();

    /** Held during an atomic on a mapped file. */
    private static final Object MAPPED = new Object();

    private long before;

    /** Whether 8 bytes of a region lie at an address that is a multiple of 8. */
    static boolean isAligned(RegisteredMemory memory, long offset) {
        return (memory.segment().address() + offset) % Long.BYTES == 0;
    }

    /**
     * Performs an atomic, once.
     *
     * @param atomics the oldest is the atomic; its 8 bytes are aligned and within their region
     * @return {@code false} if the memory can no longer be used
     */
    boolean perform(InboundReads atomics) {
        RegisteredMemory memory = atomics.source();
        if (!memory.enter()) {
            return false;
        }
        try {
            if (memory.isMapped()) {
                synchronized (MAPPED) {
                    before = perform(memory, atomics);
                }
            } else {
                before = perform(memory, atomics);
            }
            memory.endCopy();
            return true;
        } catch (IllegalStateException | InternalError e) {
            // The arena is closed, or a mapped file was truncated.
            return false;
        } finally {
            memory.exit();
        }
    }

    /** The 8 bytes before the last atomic, as a number. */
    long before() {
        return before;
    }

    private static long perform(RegisteredMemory memory, InboundReads atomics) {
        return atomics.operation() == AtomicRequest.FETCH_ADD ? fetchAndAdd(memory, atomics) : compareAndSwap(memory, atomics);
    }

    private static long fetchAndAdd(RegisteredMemory memory, InboundReads atomics) {
        long at = atomics.sourceOffset();
        while (true) {
            long old = (long) NUMBER.getVolatile(memory.segment(), at);
            if (replace(memory, at, old, sum(old, atomics.data(), atomics.mask()))) {
                return old;
            }
        }
    }

    private static long compareAndSwap(RegisteredMemory memory, InboundReads atomics) {
        long at = atomics.sourceOffset();
        while (true) {
            long old = (long) NUMBER.getVolatile(memory.segment(), at);
            if (((atomics.compareData() ^ old) & atomics.compareMask()) != 0) {
                return old;
            }
            if (replace(memory, at, old, old & ~atomics.mask() | atomics.data() & atomics.mask())) {
                return old;
            }
        }
    }

    /** Replaces the number that was read; {@code false} if it has changed. In a mapped file it has not: this thread holds the lock. */
    private static boolean replace(RegisteredMemory memory, long at, long old, long value) {
        if (memory.isMapped()) {
            NUMBER.setVolatile(memory.segment(), at, value);
            return true;
        }
        return NUMBER.compareAndSet(memory.segment(), at, old, value);
    }

    /**
     * Adds field by field.
     *
     * @param boundaries the most significant bit of each field: no carry leaves the field; 0 for one field of 64 bits
     */
    static long sum(long a, long b, long boundaries) {
        // Without their top bits, the sum of two fields fits into a field. The top bits add without a carry.
        return (a & ~boundaries) + (b & ~boundaries) ^ (a ^ b) & boundaries;
    }
}

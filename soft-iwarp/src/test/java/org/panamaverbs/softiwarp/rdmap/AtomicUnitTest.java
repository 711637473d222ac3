package org.panamaverbs.softiwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.testing.conformance.Requirement;

/** The operations of RFC 7306, 5.1, held against its pseudocode. */
class AtomicUnitTest {
    private static final int RUNS = 20_000;
    private static final int CONTENDED = 200_000;

    private final MemorySegment segment = Arena.ofAuto().allocate(24, 8);
    private final RegisteredMemory memory = new RegisteredMemory(segment, this, 0);
    private final AtomicUnit unit = new AtomicUnit();
    private final SplittableRandom random = new SplittableRandom(7306);

    /** The pseudocode of 5.1.1. */
    private static long sum(long original, long summand, long mask) {
        long location = 1;
        long carry = 0;
        long value = 0;
        for (int bit = 0; bit < 64; bit++) {
            if (bit != 0) {
                location = location << 1;
            }
            long first = (original & location) >>> bit;
            long second = (summand & location) >>> bit;
            long sum = carry + first + second;
            carry = (sum & 2) >>> 1;
            sum = sum & 1;
            if (sum != 0) {
                value |= location;
            }
            carry = carry != 0 && (mask & location) == 0 ? 1 : 0;
        }
        return value;
    }

    private long mask() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> random.nextLong() & random.nextLong() & random.nextLong();
            default -> random.nextLong();
        };
    }

    private boolean perform(int operation, long at, long data, long mask, long compareData, long compareMask) {
        return perform(unit, operation, at, data, mask, compareData, compareMask);
    }

    private boolean perform(AtomicUnit by, int operation, long at, long data, long mask, long compareData, long compareMask) {
        InboundReads queue = new InboundReads(1);
        assertTrue(queue.addAtomic(operation, 1, memory, at, data, mask, compareData, compareMask));
        return by.perform(queue);
    }

    @Test
    @Requirement("RFC7306-5-b")
    void shouldAddAsThePseudocodeDoes() {
        for (int i = 0; i < RUNS; i++) {
            long before = random.nextLong();
            long summand = random.nextLong();
            long mask = mask();
            segment.set(ValueLayout.JAVA_LONG, 8, before);
            assertTrue(perform(AtomicRequest.FETCH_ADD, 8, summand, mask, 0, -1));
            assertEquals(before, unit.before());
            assertEquals(sum(before, summand, mask), segment.get(ValueLayout.JAVA_LONG, 8), () -> "mask " + Long.toHexString(mask));
        }
        assertEquals(0, segment.get(ValueLayout.JAVA_LONG, 0) | segment.get(ValueLayout.JAVA_LONG, 16));
    }

    @Test
    @Requirement({ "RFC7306-5-b", "RFC7306-5.1.2-a" })
    void shouldSwapAsThePseudocodeDoes() {
        int swapped = 0;
        for (int i = 0; i < RUNS; i++) {
            long before = random.nextLong();
            long compareMask = mask();
            long compareData = random.nextBoolean() ? before ^ (random.nextLong() & ~compareMask) : random.nextLong();
            long data = random.nextLong();
            long mask = mask();
            segment.set(ValueLayout.JAVA_LONG, 16, before);
            assertTrue(perform(AtomicRequest.COMPARE_SWAP, 16, data, mask, compareData, compareMask));
            assertEquals(before, unit.before());
            boolean equal = ((compareData ^ before) & compareMask) == 0;
            swapped += equal ? 1 : 0;
            assertEquals(equal ? (before & ~mask) | (data & mask) : before, segment.get(ValueLayout.JAVA_LONG, 16));
        }
        assertTrue(swapped > RUNS / 3 && swapped < RUNS, swapped + " swaps");
    }

    /** Units of several streams share the memory alone: one adds to the lower half, while another swaps and so adds to the upper half. */
    @Test
    @Requirement({ "RFC7306-5-a", "RFC7306-5.3-a", "RFC7306-5.4-b" })
    void shouldLoseNothingThatAnotherUnitDoesMeanwhile() throws Exception {
        segment.set(ValueLayout.JAVA_LONG, 8, 0);
        Thread adder = Thread.ofPlatform().daemon().start(() -> {
            AtomicUnit other = new AtomicUnit();
            for (int i = 0; i < CONTENDED; i++) {
                perform(other, AtomicRequest.FETCH_ADD, 8, 1, 0, 0, -1);
            }
        });
        long expected = 0;
        for (int swaps = 0; swaps < CONTENDED;) {
            perform(unit, AtomicRequest.COMPARE_SWAP, 8, expected + (1L << Integer.SIZE), -1, expected, -1);
            swaps += unit.before() == expected ? 1 : 0;
            expected = unit.before() == expected ? expected + (1L << Integer.SIZE) : unit.before();
        }
        adder.join();
        assertEquals(CONTENDED * ((1L << Integer.SIZE) + 1), segment.get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    @Requirement("RFC7306-8.2-f")
    void shouldAlignByTheAddressOfTheMemory() {
        RegisteredMemory odd = new RegisteredMemory(segment.asSlice(3), this, 0, 0x1000, null);
        assertFalse(AtomicUnit.isAligned(odd, 0));
        assertTrue(AtomicUnit.isAligned(odd, 5));
        assertTrue(AtomicUnit.isAligned(memory, 16));
    }

    @Test
    void shouldNotTouchMemoryThatIsGone() {
        segment.set(ValueLayout.JAVA_LONG, 0, 5);
        memory.retire();
        assertFalse(perform(AtomicRequest.FETCH_ADD, 0, 1, 0, 0, -1));
        assertEquals(5, segment.get(ValueLayout.JAVA_LONG, 0));
        Arena closed = Arena.ofShared();
        RegisteredMemory gone = new RegisteredMemory(closed.allocate(8, 8), this, 0);
        closed.close();
        InboundReads queue = new InboundReads(1);
        assertTrue(queue.addAtomic(AtomicRequest.FETCH_ADD, 1, gone, 0, 1, 0, 0, -1));
        assertFalse(unit.perform(queue));
    }
}

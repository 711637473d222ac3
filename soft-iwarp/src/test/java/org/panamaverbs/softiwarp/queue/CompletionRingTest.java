package org.panamaverbs.softiwarp.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.spi.Described;

class CompletionRingTest {
    private static final int CAPACITY = 4;

    private final Arena arena = Arena.ofAuto();
    private final Completions polled = Completions.allocate(3);
    private int completions;
    private int overruns;
    private final CompletionRing ring = new CompletionRing(CAPACITY, new CompletionListener() {
        @Override
        public void onCompletion() {
            completions++;
        }

        @Override
        public void onOverrun() {
            overruns++;
        }
    });

    private boolean add(long id) {
        return add(id, CompletionStatus.SUCCESS, false);
    }

    private boolean add(long id, CompletionStatus status, boolean solicited) {
        return ring.add(id, status.value(), CompletionOpcode.SEND.value(), 0, 0, 0, 0, Origin.of(1), solicited);
    }

    @Test
    void shouldGiveBackAllFields() {
        Object attachment = new Object();
        ring.add(1L << 40, CompletionStatus.REMOTE_ACCESS_ERROR.value(), CompletionOpcode.READ.value(), 0x1100, 99, 0, 0,
                new Origin(5, attachment), false);
        assertEquals(1, ring.poll(Described.of(polled)));
        assertTrue(polled.next());
        assertEquals(1L << 40, polled.id());
        assertEquals(CompletionStatus.REMOTE_ACCESS_ERROR, polled.status());
        assertEquals(CompletionOpcode.READ, polled.opcode());
        assertEquals(0x1100, polled.vendorError());
        assertEquals(99, polled.byteLength());
        assertEquals(5, polled.queuePairNumber());
        assertSame(attachment, polled.attachment());
        assertFalse(polled.hasImmediate());
        assertFalse(polled.next());
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldGiveBackImmediateData(boolean written) {
        ring.addImmediate(1, written, 12, 0x0102030405060708L, Origin.of(1), true);
        ring.poll(Described.of(polled));
        assertTrue(polled.next());
        assertEquals(written ? CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE : CompletionOpcode.RECEIVE, polled.opcode());
        assertEquals(12, polled.byteLength());
        assertTrue(polled.hasImmediate() && polled.hasImmediate64());
        assertEquals(0x01020304, polled.immediate());
        assertEquals(0x0102030405060708L, polled.immediate64());
    }

    /** The ring wraps between two polls, and a cursor takes less than there is. */
    @Test
    void shouldGiveCompletionsInOrderAcrossTheEndOfItsMemory() {
        long next = 0;
        for (long id = 0; id < 20;) {
            for (int i = 0; i < CAPACITY && !isFull(next, id); i++) {
                assertTrue(ring.add(id, 0, 0, 0, 0, 0, 0, new Origin(1, id), false));
                id++;
            }
            assertEquals(3, ring.poll(Described.of(polled)));
            while (polled.next()) {
                assertEquals(next, polled.id());
                assertEquals(next, polled.attachment());
                next++;
            }
        }
    }

    private static boolean isFull(long polledIds, long added) {
        return added - polledIds == CAPACITY;
    }

    @Test
    void shouldForgetTheAttachmentOfASlotThatIsPolled() {
        ring.add(1, 0, 0, 0, 0, 0, 0, new Origin(1, this), false);
        ring.poll(Described.of(polled));
        for (int i = 0; i < CAPACITY; i++) {
            add(i);
        }
        ring.poll(Described.of(polled));
        while (polled.next()) {
            assertNull(polled.attachment());
        }
    }

    @Test
    void shouldLoseACompletionThatFindsItFull() {
        for (int i = 0; i < CAPACITY; i++) {
            assertTrue(add(i));
        }
        assertFalse(ring.isOverrun());
        assertFalse(add(4));
        assertFalse(add(5));
        assertTrue(ring.isOverrun());
        assertEquals(1, overruns, "the listener hears of the first");
        assertEquals(3, ring.poll(Described.of(polled)));
        assertTrue(add(6));
        assertTrue(ring.isOverrun());
    }

    /** What waits begins in the middle of the memory, and goes on at its start. */
    @ParameterizedTest
    @ValueSource(ints = { CAPACITY, 4 * CAPACITY })
    void shouldKeepWhatWaitsIfItIsResized(int capacity) {
        Object attachment = new Object();
        for (int i = 0; i < 3; i++) {
            add(i);
        }
        ring.poll(Described.of(polled));
        polled.clear();
        for (int i = 3; i < 3 + CAPACITY; i++) {
            ring.add(i, 0, 0, 0, i, 0, 0, new Origin(1, attachment), false);
        }
        assertEquals(CAPACITY, ring.resize(capacity, CAPACITY));
        assertEquals(capacity, ring.capacity());
        assertEquals(capacity > CAPACITY, add(7));
        for (int i = 3; i < 3 + CAPACITY; i++) {
            assertTrue(polled.next() || ring.poll(Described.of(polled)) > 0 && polled.next());
            assertEquals(i, polled.id());
            assertEquals(i, polled.byteLength());
            assertSame(attachment, polled.attachment());
        }
    }

    @Test
    void shouldStayAsItIsIfMoreWaitThanItIsToHold() {
        for (int i = 0; i < 3; i++) {
            add(i);
        }
        assertEquals(3, ring.resize(2, 2));
        assertEquals(CAPACITY, ring.capacity());
        assertEquals(3, ring.resize(4, 3));
        assertTrue(add(3));
        assertEquals(3, ring.poll(Described.of(polled)));
    }

    @ParameterizedTest
    @CsvSource({ "false, SUCCESS, false, 1", "true, SUCCESS, false, 0", "true, SUCCESS, true, 1", "true, FLUSHED, false, 1" })
    void shouldNotifyOfTheCompletionThatItIsArmedFor(boolean solicitedOnly, CompletionStatus status, boolean solicited, int expected) {
        add(1, status, solicited);
        assertEquals(0, completions, "it is not armed");
        ring.arm(solicitedOnly);
        assertEquals(0, completions, "a completion that is here already does not count");
        add(2, status, solicited);
        assertEquals(expected, completions);
        add(3, status, solicited);
        assertEquals(expected, completions, "once for each time it is armed");
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldServeTheWiderWishOfTwo(boolean anyFirst) {
        ring.arm(!anyFirst);
        ring.arm(anyFirst);
        add(1);
        assertEquals(1, completions);
    }

    @Test
    void shouldSayWhetherThereIsSomethingToPoll() {
        assertTrue(ring.isEmpty());
        assertEquals(0, ring.poll(Described.of(polled)));
        assertEquals(0, polled.count());
        add(1);
        assertFalse(ring.isEmpty());
        ring.poll(Described.of(polled));
        assertTrue(ring.isEmpty());
        assertEquals(CAPACITY, ring.capacity());
    }
}

package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpollSlotsTest {
    private final EpollSlots slots = new EpollSlots();

    @Test
    void shouldNotGiveTheEventsOfOneThatIsGoneToTheNextInItsPlace() {
        EpollSlots.Slot gone = slots.add(events -> {
        });
        slots.remove(gone);
        EpollSlots.Slot next = slots.add(events -> {
        });
        assertEquals(gone.token() >>> 32, next.token() >>> 32, "the place is used again");
        assertNull(slots.find(gone.token()));
        assertSame(next, slots.find(next.token()));
        slots.remove(gone);
        assertSame(next, slots.find(next.token()));
    }

    @Test
    void shouldGrow() {
        List<EpollSlots.Slot> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(slots.add(events -> {
            }));
        }
        for (EpollSlots.Slot slot : all) {
            assertSame(slot, slots.find(slot.token()));
        }
        all.forEach(slots::remove);
        for (EpollSlots.Slot slot : all) {
            assertNull(slots.find(slot.token()));
        }
    }

    /** A descriptor must be closed, and its slot removed, when no memory is left, too. */
    @Test
    void shouldAllocateNothingToRemove() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<EpollSlots.Slot> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(slots.add(events -> {
            }));
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1000; i++) {
            slots.remove(all.get(i));
        }
        assertEquals(0, threads.getCurrentThreadAllocatedBytes() - before, "bytes allocated");
    }

    @Test
    void shouldFindNobodyForAStrangeToken() {
        assertNull(slots.find(0));
        assertNull(slots.find(-1));
        assertNull(slots.find(1L << 62));
    }
}

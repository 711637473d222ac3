package org.panamaverbs.softiwarp.transport.epoll;

import java.util.Arrays;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * Who is meant by the 64 bits that epoll hands back with an event: the index of a slot, and below it the slot's generation. A place in
 * the table is used again, a generation never; so an event of a descriptor that was just closed finds nobody, not the place's next owner.
 */
final class EpollSlots {
    /** One registered descriptor. */
    static final class Slot {
        private final int index;
        private final int generation;
        private final Registration registration;
        /** Written by the thread that selects, before it tells the handler. */
        private volatile boolean ended;

        private Slot(int index, int generation, Registration registration) {
            this.index = index;
            this.generation = generation;
            this.registration = registration;
        }

        Registration registration() {
            return registration;
        }

        /** What epoll is to hand back. */
        long token() {
            return (long) index << 32 | Integer.toUnsignedLong(generation);
        }

        /** Whether an event told the end of the stream, or a failure. */
        boolean hasEnded() {
            return ended;
        }

        void ended() {
            ended = true;
        }
    }

    /** Read without the lock; written, and its entries too, under it. */
    private volatile Slot[] slots = new Slot[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;
    private int generation;

    /** A slot for a handler. */
    synchronized Slot add(Multiplexer.Handler handler) {
        int index;
        if (freeCount > 0) {
            index = free[--freeCount];
        } else {
            index = used++;
        }
        Slot[] table = index < slots.length ? slots : Arrays.copyOf(slots, 2 * slots.length);
        Slot slot = new Slot(index, ++generation, new Registration(handler));
        table[index] = slot;
        slots = table; // a volatile write: publishes the entry
        return slot;
    }

    /** Whom a token means, or {@code null} where that one is gone. */
    Slot find(long token) {
        int index = (int) (token >>> 32);
        Slot[] table = slots;
        Slot slot = Integer.compareUnsigned(index, table.length) < 0 ? table[index] : null;
        return slot != null && slot.generation == (int) token ? slot : null;
    }

    /** Forgets a slot; more calls do nothing. */
    synchronized void remove(Slot slot) {
        slot.registration.cancel();
        if (slots[slot.index] == slot) {
            slots[slot.index] = null;
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, 2 * freeCount);
            }
            free[freeCount++] = slot.index;
        }
    }
}

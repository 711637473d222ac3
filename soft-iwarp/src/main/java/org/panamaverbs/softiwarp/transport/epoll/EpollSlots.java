package org.panamaverbs.softiwarp.transport.epoll;

import java.util.Arrays;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * Maps the 64-bit token that epoll returns with an event to a registration. The upper half of a token is the index of a slot, the lower
 * half the slot's generation. Indexes are reused, generations are not: an event of a descriptor that was just closed finds no slot, and
 * never the next owner of its index.
 */
final class EpollSlots {
    /** One registered descriptor. */
    static final class Slot {
        private final int index;
        private final int generation;
        private final Registration registration;
        /** The connection, or {@code null} for another kind of socket. */
        private final EpollChannel channel;
        /** Written by the selecting thread before it calls the handler. */
        private volatile boolean ended;

        private Slot(int index, int generation, Registration registration, EpollChannel channel) {
            this.index = index;
            this.generation = generation;
            this.registration = registration;
            this.channel = channel;
        }

        Registration registration() {
            return registration;
        }

        /** The token that epoll returns. */
        long token() {
            return (long) index << 32 | Integer.toUnsignedLong(generation);
        }

        /** Whether an event has reported the end of the stream or a failure. */
        boolean hasEnded() {
            return ended;
        }

        void ended() {
            ended = true;
        }
    }

    /** Read without the lock; the field and its entries are written under the lock. */
    private volatile Slot[] slots = new Slot[64];
    /** The free indexes below {@link #used}; has room for all, so that a slot can be removed when no memory is left. */
    private int[] free = new int[64];
    private int freeCount;
    private int used;
    private int generation;

    /** Makes a slot for a handler of a socket that is no connection. */
    Slot add(Multiplexer.Handler handler) {
        return add(handler, null);
    }

    /** Makes a slot for a handler of a connection. */
    synchronized Slot add(Multiplexer.Handler handler, EpollChannel channel) {
        boolean reused = freeCount > 0;
        int index = reused ? free[freeCount - 1] : used;
        Slot[] table = index < slots.length ? slots : Arrays.copyOf(slots, 2 * slots.length);
        int[] grown = table.length == free.length ? free : Arrays.copyOf(free, table.length);
        Slot slot = new Slot(index, generation + 1, new Registration(handler), channel);
        // Nothing below allocates: if memory runs out above, no index is lost.
        free = grown;
        if (reused) {
            freeCount--;
        } else {
            used++;
        }
        generation++;
        table[index] = slot;
        slots = table; // a volatile write: publishes the entry
        return slot;
    }

    /** The slot of a token, or {@code null} if that slot was removed. */
    Slot find(long token) {
        int index = (int) (token >>> 32);
        Slot[] table = slots;
        Slot slot = Integer.compareUnsigned(index, table.length) < 0 ? table[index] : null;
        return slot != null && slot.generation == (int) token ? slot : null;
    }

    /** The number of slots, including free ones. */
    int length() {
        return slots.length;
    }

    /** The connection of a slot, or {@code null} if there is none. */
    EpollChannel channel(int index) {
        Slot slot = slots[index];
        return slot == null ? null : slot.channel;
    }

    /** Removes a slot; further calls do nothing. */
    synchronized void remove(Slot slot) {
        slot.registration.cancel();
        if (slots[slot.index] == slot) {
            slots[slot.index] = null;
            free[freeCount++] = slot.index;
        }
    }
}

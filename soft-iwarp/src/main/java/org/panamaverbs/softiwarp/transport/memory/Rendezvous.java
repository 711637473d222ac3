package org.panamaverbs.softiwarp.transport.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * Bytes of a writer's own memory that a reader in the same process copies to their place itself: once, where a ring between the two costs
 * two copies. The writer offers a vector, whose memory it leaves alone until it has it back; the reader enters and exits that memory around
 * each copy, so that a deregistration waits for no peer.
 *
 * <pre>
 * NONE, offer: OFFERED, take: TAKING, some is left: OFFERED
 *                                     all is taken: TAKEN, reclaim: NONE
 * </pre>
 *
 * One thread at a time writes, one at a time reads. Nothing is allocated.
 */
final class Rendezvous {
    private static final int NONE = 0;
    private static final int OFFERED = 1;
    private static final int TAKING = 2;
    private static final int TAKEN = 3;
    private static final int MOST_PARTS = 64;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);

    /** The bytes that are not taken yet; the reader's while TAKING, else the writer's. */
    private final IoVector untaken = new IoVector(MOST_PARTS);
    private long offered;
    /** Whether the reader met memory that cannot be used. The reader writes it before it sets the state. */
    private boolean faulty;
    private volatile int state;

    /** Offers the vector's bytes, or as many as it has parts for; by the writer, which has none under way. */
    void offer(IoVector from) {
        untaken.copy(from);
        offered = untaken.bytes();
        faulty = false;
        state = OFFERED;
    }

    /** Whether the writer has nothing to take back first. */
    boolean isNone() {
        return state == NONE;
    }

    /** Whether there is something to take. */
    boolean isOffered() {
        return state == OFFERED;
    }

    /**
     * Takes it back if the reader is done with it; by the writer.
     *
     * @return how many bytes the reader has taken, or -1 if it is not done
     */
    long reclaim() {
        return state == TAKEN ? end() : -1;
    }

    /**
     * Takes it back, whatever is left of it; by the writer. If the reader is copying, waits for that.
     *
     * @return how many bytes the reader has taken
     */
    long revoke() {
        for (int now = state; now != NONE; now = state) {
            if (now == TAKEN || now == OFFERED && STATE.compareAndSet(this, OFFERED, TAKEN)) {
                return end();
            }
            Thread.onSpinWait();
        }
        return 0;
    }

    private long end() {
        long taken = offered - untaken.bytes();
        untaken.clear();
        state = NONE;
        return taken;
    }

    /**
     * Copies as much as there is, and there is room for; by the reader. If memory of either side cannot be used, it ends early: the
     * writer finds it taken back, and each side then detects its own bad memory when it copies.
     *
     * @return how many bytes, 0 if nothing is offered
     */
    long take(IoVector into) {
        if (!STATE.compareAndSet(this, OFFERED, TAKING)) {
            return 0;
        }
        long copied = 0;
        boolean bad = !untaken.enter();
        if (!bad) {
            try {
                copied = untaken.copyTo(into);
                bad = copied == 0;
            } finally {
                untaken.exit();
            }
            untaken.consume(copied);
        }
        faulty = bad;
        state = bad || untaken.bytes() == 0 ? TAKEN : OFFERED;
        return copied;
    }

    /** Whether the last offer ended because of memory that cannot be used; by the writer, once it has the offer back. */
    boolean wasFaulty() {
        return faulty;
    }

    /** Whether the reader is done with what was offered. */
    boolean isTaken() {
        return state == TAKEN;
    }
}

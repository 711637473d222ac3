package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.panamaverbs.Rollback;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * A file descriptor that is closed once nobody uses it. The kernel gives a closed descriptor's number to the next file opened, by anybody
 * in the process: a call that is under way, or about to be made, on another thread would then read or write a stranger's stream. So each
 * use stands between {@link #acquire} and {@link #release}, and the last one out closes.
 */
class Descriptor {
    /** The sign bit: closed; the other bits count the users. */
    private static final int CLOSED = 1 << 31;
    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);

    /**
     * For calls whose error no thread reads. Allocated early, so that a connection can end when no memory is left. Several threads may write
     * it at the same time.
     */
    static final MemorySegment UNREAD = Native.newErrno(Arena.global());

    private final int fd;
    private volatile int state;

    Descriptor(int fd) {
        this.fd = fd;
    }

    /** The number; to be used between {@link #acquire} and {@link #release} only. */
    int fd() {
        return fd;
    }

    /** Begins a use; {@code false} if it is closed. */
    boolean acquire() {
        int seen;
        do {
            seen = state;
            if (seen < 0) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, seen + 1));
        return true;
    }

    /** Ends a use. */
    void release() {
        if ((int) STATE.getAndAdd(this, -1) == CLOSED + 1) {
            closeNow();
        }
    }

    /** Closes it, now or when the last use ends; {@code false} if it was closed before. */
    boolean close() {
        int seen = (int) STATE.getAndBitwiseOr(this, CLOSED);
        if (seen == 0) {
            closeNow();
        }
        return seen >= 0;
    }

    /** Makes an object of the descriptor; closes the descriptor if that fails, since no other object has it yet. */
    <T> T orClose(Supplier<T> maker) {
        try (Rollback undo = new Rollback()) {
            undo.add(this::close);
            T made = maker.get();
            undo.commit();
            return made;
        }
    }

    boolean isClosed() {
        return state < 0;
    }

    /** Closes the number; a test counts instead. */
    void closeNow() {
        // Not repeated on EINTR: Linux has released the number by then (close(2)).
        SocketCalls.close(UNREAD, fd);
    }
}

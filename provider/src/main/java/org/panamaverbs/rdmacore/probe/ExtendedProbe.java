package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionClock;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_device_attr_ex;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;
import org.panamaverbs.rdmacore.queue.ExtendedQueue;

/** Finds out whether a device makes queues with time stamps, and resizes queues: no flag tells, so queues are tried and thrown away. */
final class ExtendedProbe implements AutoCloseable {
    /** A terahertz. */
    private static final long FASTEST_KILOHERTZ = 1_000_000_000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment context;

    ExtendedProbe(MemorySegment context) {
        this.context = context;
    }

    /** The clock that completions carry the time of, or {@code null}. */
    CompletionClock clock() {
        MemorySegment limits = ibv_device_attr_ex.allocate(arena).fill((byte) 0);
        try {
            int error = ExtendedVerbs.queryDevice(context).attempt(context, MemorySegment.NULL, limits, limits.byteSize());
            long mask = ibv_device_attr_ex.completion_timestamp_mask(limits);
            long kilohertz = ibv_device_attr_ex.hca_core_clock(limits);
            // A mask of other bits than the low ones, or a clock of no frequency, is a clock that nobody can read.
            return error == 0 && mask != 0 && (mask & mask + 1) == 0 && kilohertz > 0 && kilohertz < FASTEST_KILOHERTZ
                    ? new CompletionClock(kilohertz * 1000, mask) : null;
        } catch (VerbsException missing) {
            return null;
        }
    }

    /** Whether it makes queues whose completions have a time stamp. */
    boolean stampsQueue() {
        try {
            Calls.DESTROY_CQ.attempt(ExtendedQueue.create("try a completion queue", context, MemorySegment.NULL, 4, 0));
            return true;
        } catch (VerbsException refused) {
            return false;
        }
    }

    boolean resizesQueue() {
        MemorySegment queue = MemorySegment.NULL;
        try {
            queue = Calls.CREATE_CQ.object("try a completion queue", context, 4, MemorySegment.NULL, MemorySegment.NULL, 0);
            return Calls.RESIZE_CQ.attempt(queue, 64) == 0;
        } catch (VerbsException refused) {
            return false;
        } finally {
            if (queue.address() != 0) {
                Calls.DESTROY_CQ.attempt(queue);
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}

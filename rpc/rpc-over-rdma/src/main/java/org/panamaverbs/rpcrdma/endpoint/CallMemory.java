package org.panamaverbs.rpcrdma.endpoint;

import java.util.ArrayDeque;
import java.util.Queue;
import org.panamaverbs.rpcrdma.gate.Seat;

/**
 * The memory that the calls of a peer take while they are put together, served and answered. The credits alone do not limit it: each call, and
 * each reply, may be as long as the longest message. A call that finds no room waits, in the order of arrival, until room comes back. All
 * methods are called under the endpoint's lock.
 */
final class CallMemory {
    private record Waiting(InboundCall call, long bytes, Runnable start) {
    }

    private final Seat seat;
    private final Queue<Waiting> waiting = new ArrayDeque<>();

    CallMemory(Seat seat) {
        this.seat = seat;
    }

    /** Takes room for a call; {@code false} if it has to {@link #await} its turn. */
    boolean take(InboundCall call, long bytes) {
        long counted = Math.min(bytes, seat.most());
        if (!waiting.isEmpty() || !seat.tryTake(counted)) {
            return false;
        }
        call.memoryTaken = counted;
        return true;
    }

    /** Has a call wait; {@code start} runs when it has its room. */
    void await(InboundCall call, long bytes, Runnable start) {
        waiting.add(new Waiting(call, Math.min(bytes, seat.most()), start));
    }

    /** Counts memory that a call takes beyond its room. */
    void more(InboundCall call, long bytes) {
        seat.take(bytes);
        call.memoryTaken += bytes;
    }

    /** A call is over. */
    void giveBack(InboundCall call) {
        long bytes = call.memoryTaken;
        if (bytes > 0) {
            call.memoryTaken = 0;
            seat.giveBack(bytes);
            pump();
        }
    }

    /** There may be room again. */
    void pump() {
        for (Waiting next = waiting.peek(); next != null && seat.tryTake(next.bytes); next = waiting.peek()) {
            waiting.remove();
            next.call.memoryTaken = next.bytes;
            next.start.run();
        }
    }

    /** The connection ended: none of those that wait is served. */
    void clear() {
        waiting.clear();
    }
}

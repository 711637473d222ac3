package org.panamaverbs.rpcrdma.endpoint;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * How much memory the calls of a peer take at once while they are put together and served. The credits alone do not limit it: each call may
 * be as long as the longest message. A call that finds no room waits, in the order of arrival, until replies give room back. All methods are
 * called under the endpoint's lock.
 */
final class CallMemory {
    private record Waiting(InboundCall call, long bytes, Runnable start) {
    }

    private final long limit;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private long taken;

    /** The limit is that of the longest message, or more, so that each call finds room one day. */
    CallMemory(long limit) {
        this.limit = limit;
    }

    /** Takes room for a call; {@code false} if it has to {@link #await} its turn. */
    boolean take(InboundCall call, long bytes) {
        if (!waiting.isEmpty() || bytes > limit - taken) {
            return false;
        }
        taken += bytes;
        call.memoryTaken = bytes;
        return true;
    }

    /** Has a call wait; {@code start} runs when it has its room. */
    void await(InboundCall call, long bytes, Runnable start) {
        waiting.add(new Waiting(call, bytes, start));
    }

    /** A call is over. */
    void giveBack(InboundCall call) {
        taken -= call.memoryTaken;
        call.memoryTaken = 0;
        for (Waiting next = waiting.peek(); next != null && next.bytes <= limit - taken; next = waiting.peek()) {
            waiting.remove();
            taken += next.bytes;
            next.call.memoryTaken = next.bytes;
            next.start.run();
        }
    }

    /** The connection ended: none of those that wait is served. */
    void clear() {
        waiting.clear();
    }
}

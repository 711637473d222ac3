package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.spi.AbstractCompletionChannel;

/** The events that a completion queue asks its device for, and the notifications that the program asks for. Under the queue's lock. */
final class QueueNotifications {
    private final MemorySegment request;
    private final MemorySegment queue;
    /** The channel that the program gave, or {@code null}. */
    private final AbstractCompletionChannel channel;
    private final EventChannel events;
    /** Whether the program has ever asked for a notification: then each event of the device is one. */
    private boolean notifies;
    /** Whether the program has asked for one since the last. */
    private boolean asked;

    /**
     * @param request the device's function that asks for an event
     * @param queue   the {@code ibv_cq}
     * @param events  the channel on which the device reports its completions
     */
    QueueNotifications(MemorySegment request, MemorySegment queue, AbstractCompletionChannel channel, EventChannel events) {
        this.request = request;
        this.queue = queue;
        this.channel = channel;
        this.events = events;
    }

    /** Asks the device for an event of the next completion. */
    void arm(boolean solicitedOnly, CompletionQueue armed) {
        int error = Math.abs(ibv_context_ops.req_notify_cq.invoke(request, queue, solicitedOnly ? 1 : 0));
        if (error != 0) {
            throw new SystemException("cannot arm " + armed + ": ibv_req_notify_cq: " + Errno.describe(error), error);
        }
    }

    /** The program asks for a notification. */
    void ask(boolean solicitedOnly, CompletionQueue armed) {
        if (channel == null) {
            throw new IllegalStateException("the completion queue was made without a completion channel to notify");
        }
        arm(solicitedOnly, armed);
        notifies = true;
        asked = true;
    }

    /** The device raised an event; {@code true} if it may be for the program. */
    boolean take() {
        asked = false;
        return notifies;
    }

    /** Wakes threads that wait for completions of which the device raises no event. */
    void announce(CompletionQueue announced) {
        events.signal();
        if (asked) {
            asked = false;
            channel.raise(announced);
        }
    }
}

package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.panamaverbs.bindings.rdma.Rdma;

/** The calls that each event of a completion queue needs, by addresses: segments would be garbage. */
@SuppressWarnings("restricted") // they are called natively
public final class EventCalls {
    private static final MethodHandle GET_CQ_EVENT = Linker.nativeLinker().downcallHandle(Rdma.ibv_get_cq_event$address(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle ACK_CQ_EVENTS = Linker.nativeLinker().downcallHandle(Rdma.ibv_ack_cq_events$address(),
            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private EventCalls() {
    }

    /**
     * {@code ibv_get_cq_event}.
     *
     * @param queue   gets the address of the {@code ibv_cq}
     * @param context gets that queue's {@code cq_context}
     * @return whether there was an event
     */
    public static boolean next(long channel, long queue, long context) {
        try {
            return (int) GET_CQ_EVENT.invokeExact(channel, queue, context) == 0;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** {@code ibv_ack_cq_events}, of one event. */
    public static void acknowledge(long queue) {
        try {
            ACK_CQ_EVENTS.invokeExact(queue, 1);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}

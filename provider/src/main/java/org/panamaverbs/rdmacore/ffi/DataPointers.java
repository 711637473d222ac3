package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_context_ops;

/** The data calls of a device, which have no symbols: function pointers of its context. */
public record DataPointers(MemorySegment pollCq, MemorySegment requestNotification, MemorySegment postSend, MemorySegment postReceive,
        MemorySegment postSharedReceive) {
    public static DataPointers of(MemorySegment context) {
        MemorySegment operations = ibv_context.ops(context);
        return new DataPointers(ibv_context_ops.poll_cq(operations), ibv_context_ops.req_notify_cq(operations),
                ibv_context_ops.post_send(operations), ibv_context_ops.post_recv(operations), ibv_context_ops.post_srq_recv(operations));
    }
}

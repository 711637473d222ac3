package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr;
import org.panamaverbs.rdmacore.ffi.Calls;

/** Finds out how many bytes a device takes inline: verbs have no question for it, so a queue pair is tried and thrown away. */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class InlineProbe {
    private static final int[] LENGTHS = { 512, 256, 220, 188, 128, 96, 80, 64, 32, 16 };

    private InlineProbe() {
    }

    /**
     * How many bytes it takes.
     *
     * @param type {@code IBV_QPT_...}
     */
    static int maximum(MemorySegment context, int type) {
        MemorySegment domain = MemorySegment.NULL;
        MemorySegment queue = MemorySegment.NULL;
        try (Arena arena = Arena.ofConfined()) {
            domain = Calls.ALLOC_PD.object("try a protection domain", context);
            queue = Calls.CREATE_CQ.object("try a completion queue", context, 4, MemorySegment.NULL, MemorySegment.NULL, 0);
            for (int length : LENGTHS) {
                MemorySegment wanted = ibv_qp_init_attr.allocate(arena).fill((byte) 0);
                ibv_qp_init_attr.send_cq(wanted, queue);
                ibv_qp_init_attr.recv_cq(wanted, queue);
                ibv_qp_init_attr.qp_type(wanted, type);
                MemorySegment limits = ibv_qp_init_attr.cap(wanted);
                ibv_qp_cap.max_send_wr(limits, 1);
                ibv_qp_cap.max_recv_wr(limits, 1);
                ibv_qp_cap.max_send_sge(limits, 1);
                ibv_qp_cap.max_recv_sge(limits, 1);
                ibv_qp_cap.max_inline_data(limits, length);
                int granted = attempt(domain, wanted, limits);
                if (granted >= 0) {
                    return granted;
                }
            }
            return 0;
        } catch (VerbsException e) {
            // If something is short now, a program learns that when it asks for the real thing.
            return 0;
        } finally {
            if (queue.address() != 0) {
                Calls.DESTROY_CQ.attempt(queue);
            }
            if (domain.address() != 0) {
                Calls.DEALLOC_PD.attempt(domain);
            }
        }
    }

    private static int attempt(MemorySegment domain, MemorySegment wanted, MemorySegment limits) {
        int asked = ibv_qp_cap.max_inline_data(limits);
        try {
            MemorySegment queuePair = Calls.CREATE_QP.object("try a queue pair", domain, wanted);
            Calls.DESTROY_QP.attempt(queuePair);
            // Some drivers say what they grant, others leave what was asked for.
            return Math.max(asked, ibv_qp_cap.max_inline_data(limits));
        } catch (VerbsException refused) {
            return -1;
        }
    }
}

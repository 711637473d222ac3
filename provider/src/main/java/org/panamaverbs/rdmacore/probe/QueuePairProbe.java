package org.panamaverbs.rdmacore.probe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.ibv_qp_cap;
import org.panamaverbs.bindings.rdma.ibv_qp_init_attr;
import org.panamaverbs.rdmacore.ffi.Calls;

/**
 * Finds out what queue pairs of a device can do that verbs have no question for: whether there are any of a type, and how many bytes they take
 * inline. One is tried and thrown away. If something is short now, nothing is known, and a program learns that when it asks for the real
 * thing.
 */
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class QueuePairProbe {
    /** In place of a number of bytes: the library knows no such queue pairs. */
    private static final int UNSUPPORTED = -1;
    private static final int REFUSED = -2;
    private static final int[] INLINE = { 512, 256, 220, 188, 128, 96, 80, 64, 32, 16 };

    private QueuePairProbe() {
    }

    /**
     * Whether it makes queue pairs of a type, as far as is known.
     *
     * @param type {@code IBV_QPT_...}
     */
    static boolean makes(MemorySegment context, int type) {
        return firstGranted(context, type, 0) != UNSUPPORTED;
    }

    /**
     * How many bytes it takes inline.
     *
     * @param type {@code IBV_QPT_...}
     */
    static int maximumInline(MemorySegment context, int type) {
        return Math.max(0, firstGranted(context, type, INLINE));
    }

    /** {@return how many bytes inline the first queue pair takes that the device makes; if it makes none of them, how it answered the last} */
    private static int firstGranted(MemorySegment context, int type, int... lengths) {
        MemorySegment domain = MemorySegment.NULL;
        MemorySegment queue = MemorySegment.NULL;
        try (Arena arena = Arena.ofConfined()) {
            domain = Calls.ALLOC_PD.object("try a protection domain", context);
            queue = Calls.CREATE_CQ.object("try a completion queue", context, 4, MemorySegment.NULL, MemorySegment.NULL, 0);
            int granted = REFUSED;
            for (int i = 0; granted < 0 && i < lengths.length; i++) {
                MemorySegment wanted = ibv_qp_init_attr.allocate(arena).fill((byte) 0);
                ibv_qp_init_attr.send_cq(wanted, queue);
                ibv_qp_init_attr.recv_cq(wanted, queue);
                ibv_qp_init_attr.qp_type(wanted, type);
                MemorySegment limits = ibv_qp_init_attr.cap(wanted);
                ibv_qp_cap.max_send_wr(limits, 1);
                ibv_qp_cap.max_recv_wr(limits, 1);
                ibv_qp_cap.max_send_sge(limits, 1);
                ibv_qp_cap.max_recv_sge(limits, 1);
                ibv_qp_cap.max_inline_data(limits, lengths[i]);
                granted = attempt(domain, wanted, limits);
            }
            return granted;
        } catch (VerbsException e) {
            return REFUSED;
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
        } catch (SystemException e) {
            return e.errorNumber() == Libc.EOPNOTSUPP() || e.errorNumber() == Libc.ENOSYS() ? UNSUPPORTED : REFUSED;
        } catch (VerbsException e) {
            return REFUSED;
        }
    }
}

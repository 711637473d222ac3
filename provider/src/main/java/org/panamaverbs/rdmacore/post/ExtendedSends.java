package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.SendRequest;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_mw_bind_info;
import org.panamaverbs.bindings.rdma.ibv_qp_ex;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.rdmacore.ffi.Layouts;
import org.panamaverbs.rdmacore.queue.WorkRing;

/**
 * Requests by a call for each, and one for its memory ({@code ibv_wr_*}). The device takes all that are submitted together, or none.
 *
 * <p>Not those of several parts: librxe (of rdma-core 44) takes all parts of {@code wr_set_sge_list} to be as long as the first. The two
 * ways may be used in turn (ibv_wr_post(3)).
 */
// Tested by Rxe0ExtendedContractTest.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
final class ExtendedSends implements SendPath {
    private final MemorySegment queuePair;
    /** The fields behind its mutex. */
    private final MemorySegment fields;
    private final WorkRing ring;
    private final MemorySegment[] inline;
    private final MemorySegment bindInfo;
    private final MemorySegment start;
    private final MemorySegment complete;
    private final MemorySegment setElement;
    private final MemorySegment setInline;
    private final MemorySegment send;
    private final MemorySegment sendImmediate;
    private final MemorySegment sendInvalidate;
    private final MemorySegment write;
    private final MemorySegment writeImmediate;
    private final MemorySegment read;
    private final MemorySegment compareAndSwap;
    private final MemorySegment fetchAndAdd;
    private final MemorySegment localInvalidate;
    private final MemorySegment bindWindow;
    private MemorySegment window;
    private int refused;

    /**
     * @param arena     the arena of the queue pair's requests
     * @param queuePair the {@code ibv_qp_ex}
     * @param inline    the memory in which each place of the ring keeps its INLINE bytes
     */
    ExtendedSends(Arena arena, MemorySegment queuePair, WorkRing ring, MemorySegment[] inline) {
        this.bindInfo = ibv_mw_bind_info.allocate(arena);
        this.queuePair = queuePair.reinterpret(ibv_qp_ex.sizeof());
        this.fields = Layouts.behindMutex(queuePair, ibv_qp_ex.sizeof());
        this.ring = ring;
        this.inline = inline;
        this.start = ibv_qp_ex.wr_start(fields);
        this.complete = ibv_qp_ex.wr_complete(fields);
        this.setElement = ibv_qp_ex.wr_set_sge(fields);
        this.setInline = ibv_qp_ex.wr_set_inline_data(fields);
        this.send = ibv_qp_ex.wr_send(fields);
        this.sendImmediate = ibv_qp_ex.wr_send_imm(fields);
        this.sendInvalidate = ibv_qp_ex.wr_send_inv(fields);
        this.write = ibv_qp_ex.wr_rdma_write(fields);
        this.writeImmediate = ibv_qp_ex.wr_rdma_write_imm(fields);
        this.read = ibv_qp_ex.wr_rdma_read(fields);
        this.compareAndSwap = ibv_qp_ex.wr_atomic_cmp_swp(fields);
        this.fetchAndAdd = ibv_qp_ex.wr_atomic_fetch_add(fields);
        this.localInvalidate = ibv_qp_ex.wr_local_inv(fields);
        this.bindWindow = ibv_qp_ex.wr_bind_mw(fields);
    }

    /** The window of the binding that is submitted next. */
    void binds(MemorySegment nextWindow) {
        window = nextWindow;
    }

    /** Whether a request can go this way. */
    boolean takes(int sequence) {
        MemorySegment request = ring.request(sequence);
        return request.get(ValueLayout.JAVA_INT, ibv_send_wr.num_sge$offset()) <= 1 || isInline(request);
    }

    private static boolean isInline(MemorySegment request) {
        return (request.get(ValueLayout.JAVA_INT, ibv_send_wr.send_flags$offset()) & SendRequest.INLINE) != 0;
    }

    @Override
    public int post(int first, int last) {
        ibv_qp_ex.wr_start.invoke(start, queuePair);
        for (int sequence = first; sequence != last; sequence++) {
            add(sequence);
        }
        int error = Math.abs(ibv_qp_ex.wr_complete.invoke(complete, queuePair));
        refused = error == 0 ? last : first;
        // librxe's word for a queue that is full.
        return error == Libc.ENOSPC() ? Libc.ENOMEM() : error;
    }

    @Override
    public String call() {
        return "ibv_wr_complete";
    }

    @Override
    public int refused() {
        return refused;
    }

    private void add(int sequence) {
        MemorySegment request = ring.request(sequence);
        fields.set(ValueLayout.JAVA_LONG, ibv_qp_ex.wr_id$offset(), request.get(ValueLayout.JAVA_LONG, ibv_send_wr.wr_id$offset()));
        fields.set(ValueLayout.JAVA_INT, ibv_qp_ex.wr_flags$offset(),
                request.get(ValueLayout.JAVA_INT, ibv_send_wr.send_flags$offset()));
        int opcode = request.get(ValueLayout.JAVA_INT, ibv_send_wr.opcode$offset());
        if (opcode == Rdma.IBV_WR_LOCAL_INV()) {
            ibv_qp_ex.wr_local_inv.invoke(localInvalidate, queuePair, key(request));
        } else if (opcode == Rdma.IBV_WR_BIND_MW()) {
            bind(request);
        } else {
            addMessage(opcode, request);
            addMemory(sequence, request);
        }
    }

    /** One union: of an invalidated key and immediate data. */
    private static int key(MemorySegment request) {
        return request.get(ValueLayout.JAVA_INT, ibv_send_wr.invalidate_rkey$offset());
    }

    private void bind(MemorySegment request) {
        MemorySegment.copy(request, WindowBinds.INFO, bindInfo, 0, ibv_mw_bind_info.sizeof());
        ibv_qp_ex.wr_bind_mw.invoke(bindWindow, queuePair, window,
                request.get(ValueLayout.JAVA_INT, WindowBinds.KEY), bindInfo);
    }

    private void addMessage(int opcode, MemorySegment request) {
        long address = request.get(ValueLayout.JAVA_LONG, SendChain.REMOTE_ADDRESS);
        int remoteKey = request.get(ValueLayout.JAVA_INT, SendChain.REMOTE_KEY);
        if (opcode == Rdma.IBV_WR_SEND()) {
            ibv_qp_ex.wr_send.invoke(send, queuePair);
        } else if (opcode == Rdma.IBV_WR_RDMA_WRITE()) {
            ibv_qp_ex.wr_rdma_write.invoke(write, queuePair, remoteKey, address);
        } else if (opcode == Rdma.IBV_WR_RDMA_READ()) {
            ibv_qp_ex.wr_rdma_read.invoke(read, queuePair, remoteKey, address);
        } else if (opcode == Rdma.IBV_WR_SEND_WITH_IMM()) {
            ibv_qp_ex.wr_send_imm.invoke(sendImmediate, queuePair, key(request));
        } else if (opcode == Rdma.IBV_WR_RDMA_WRITE_WITH_IMM()) {
            ibv_qp_ex.wr_rdma_write_imm.invoke(writeImmediate, queuePair, remoteKey, address, key(request));
        } else if (opcode == Rdma.IBV_WR_SEND_WITH_INV()) {
            ibv_qp_ex.wr_send_inv.invoke(sendInvalidate, queuePair, key(request));
        } else {
            addAtomic(opcode, request, address);
        }
    }

    private void addAtomic(int opcode, MemorySegment request, long address) {
        int remoteKey = request.get(ValueLayout.JAVA_INT, SendChain.ATOMIC_KEY);
        long operand = request.get(ValueLayout.JAVA_LONG, SendChain.COMPARED_OR_ADDED);
        if (opcode == Rdma.IBV_WR_ATOMIC_FETCH_AND_ADD()) {
            ibv_qp_ex.wr_atomic_fetch_add.invoke(fetchAndAdd, queuePair, remoteKey, address, operand);
        } else {
            ibv_qp_ex.wr_atomic_cmp_swp.invoke(compareAndSwap, queuePair, remoteKey, address, operand,
                    request.get(ValueLayout.JAVA_LONG, SendChain.SWAPPED));
        }
    }

    /** Also if there is none: the request is not whole without. */
    private void addMemory(int sequence, MemorySegment request) {
        if (isInline(request)) {
            ibv_qp_ex.wr_set_inline_data.invoke(setInline, queuePair, inline[ring.slot(sequence)], ring.length(sequence));
        } else if (request.get(ValueLayout.JAVA_INT, ibv_send_wr.num_sge$offset()) == 0) {
            ibv_qp_ex.wr_set_sge.invoke(setElement, queuePair, 0, 0, 0);
        } else {
            ibv_qp_ex.wr_set_sge.invoke(setElement, queuePair, ring.elementField(sequence, ibv_sge.lkey$offset()),
                    ring.elementPlace(sequence), ring.elementField(sequence, ibv_sge.length$offset()));
        }
    }
}

package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.memory.CoreMemoryWindow;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.spi.SendWorkRequest.Part;

/** The send queue's requests, written as the device reads them and submitted as a chain. For one thread at a time. */
// Tested by FlushFaultsTest, PostingContract.
final class SendChain {
    private static final int NATIVE_FLAGS = SendWorkRequest.FENCE | SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED
            | SendWorkRequest.INLINE;
    /** The opcode of each operation, by ordinal; no device has Immediate Data messages. */
    private static final int[] OPCODES = opcodes();
    /** Of so many requests that are not signalled the device reports one, so that their places become free. */
    private static final int UNREPORTED = 32;
    private static final long REMOTE_ADDRESS = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long REMOTE_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long COMPARED_OR_ADDED = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.compare_add$offset();
    private static final long SWAPPED = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.swap$offset();
    private static final long ATOMIC_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long HANDLE = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.ah$offset();
    private static final long RECEIVER = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qpn$offset();
    private static final long QUEUE_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qkey$offset();
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final WorkRing ring;
    private final PostedSends structs;
    private final WindowBinds binds;
    private final long tag;
    private final boolean signalAll;
    private final int interval;
    private final int inlineLength;
    private final MemorySegment inline;
    private final boolean isIwarp;
    private final boolean refusesFencedRead;
    private final boolean reportsReadLate;
    private boolean isIwarpRead;
    private int unreported;
    private int current;
    private int elements;
    private long inlined;
    private volatile boolean stalled;
    private SendPath last;

    /**
     * @param arena the arena that holds its requests
     */
    SendChain(Arena arena, MemorySegment queuePair, PostingDevice device, QueuePairAttributes attributes, long tag) {
        this.ring = new WorkRing(arena, attributes.sendDepth(), attributes.sendElements(), ibv_send_wr.sizeof());
        this.structs = new PostedSends(arena, queuePair, device.calls().postSend(), ring);
        this.tag = tag | WrIdTable.SEND;
        this.isIwarp = device.isIwarp();
        this.refusesFencedRead = device.has(Quirk.REFUSES_FENCED_READ);
        this.reportsReadLate = device.has(Quirk.REPORTS_READ_LATE);
        this.signalAll = attributes.signalAll();
        this.interval = Math.clamp(attributes.sendDepth() / 2, 1, UNREPORTED);
        this.inlineLength = attributes.inlineLength();
        this.inline = arena.allocate(Math.max(8, ring.slots() * (long) inlineLength), 8);
        this.binds = new WindowBinds(arena, queuePair, device.bindWindow(), ring, structs);
    }

    private static int[] opcodes() {
        int[] opcodes = new int[SendOperation.values().length];
        opcodes[SendOperation.SEND.ordinal()] = Rdma.IBV_WR_SEND();
        opcodes[SendOperation.SEND_WITH_INVALIDATE.ordinal()] = Rdma.IBV_WR_SEND_WITH_INV();
        opcodes[SendOperation.SEND_WITH_IMMEDIATE.ordinal()] = Rdma.IBV_WR_SEND_WITH_IMM();
        opcodes[SendOperation.WRITE.ordinal()] = Rdma.IBV_WR_RDMA_WRITE();
        opcodes[SendOperation.WRITE_WITH_IMMEDIATE.ordinal()] = Rdma.IBV_WR_RDMA_WRITE_WITH_IMM();
        opcodes[SendOperation.READ.ordinal()] = Rdma.IBV_WR_RDMA_READ();
        opcodes[SendOperation.COMPARE_AND_SWAP.ordinal()] = Rdma.IBV_WR_ATOMIC_CMP_AND_SWP();
        opcodes[SendOperation.FETCH_AND_ADD.ordinal()] = Rdma.IBV_WR_ATOMIC_FETCH_AND_ADD();
        opcodes[SendOperation.BIND.ordinal()] = Rdma.IBV_WR_BIND_MW();
        opcodes[SendOperation.LOCAL_INVALIDATE.ordinal()] = Rdma.IBV_WR_LOCAL_INV();
        return opcodes;
    }

    WorkRing workRing() {
        return ring;
    }

    /** Writes a request; the device does not see it before {@link #publish}. */
    int begin(SendWorkRequest work) {
        int opcode = OPCODES[work.operation().ordinal()];
        int flags = work.flags();
        boolean visible = signalAll || (flags & SendWorkRequest.SIGNALED) != 0;
        boolean isRead = opcode == Rdma.IBV_WR_RDMA_READ();
        isIwarpRead = isIwarp && isRead;
        boolean reported = visible || isRead && reportsReadLate || unreported + 1 >= interval;
        unreported = reported ? 0 : unreported + 1;
        int sequence = ring.begin(work.id(), visible, reported);
        // A datagram has no Read to wait for.
        boolean isFenceable = !(isRead && refusesFencedRead || work.has(Part.RECEIVER));
        int allowed = isFenceable ? NATIVE_FLAGS : NATIVE_FLAGS & ~SendWorkRequest.FENCE;
        long request = ring.address(sequence);
        NativeMemory.setLong(request + ibv_send_wr.wr_id$offset(), tag | Integer.toUnsignedLong(sequence));
        NativeMemory.setLong(request + ibv_send_wr.next$offset(), 0);
        NativeMemory.setLong(request + ibv_send_wr.sg_list$offset(), ring.elementsAddress(sequence));
        NativeMemory.setInt(request + ibv_send_wr.opcode$offset(), opcode);
        NativeMemory.setInt(request + ibv_send_wr.send_flags$offset(),
                flags & allowed & ~SendWorkRequest.SIGNALED | (reported ? SendWorkRequest.SIGNALED : 0));
        // One union: the device ignores the fields that are not needed here, and libsiw looks for the key to invalidate in the other.
        NativeMemory.setInt(request + ibv_send_wr.invalidate_rkey$offset(), work.remoteKey());
        NativeMemory.setLong(request + REMOTE_ADDRESS, work.remoteAddress());
        NativeMemory.setInt(request + REMOTE_KEY, work.remoteKey());
        binds.clear(sequence);
        current = sequence;
        elements = 0;
        inlined = 0;
        describe(work, ring.request(sequence));
        return sequence;
    }

    /** Writes the fields that only some operations have, and the memory. */
    private void describe(SendWorkRequest work, MemorySegment request) {
        switch (work.operation()) {
            case SEND_WITH_IMMEDIATE, WRITE_WITH_IMMEDIATE -> request.set(NETWORK_INT, ibv_send_wr.imm_data$offset(), work.immediate());
            case COMPARE_AND_SWAP -> atomic(request, work, work.value(Part.COMPARE), work.value(Part.SWAP));
            case FETCH_AND_ADD -> atomic(request, work, work.value(Part.ADD), 0);
            case BIND -> {
                binds.set(current, (CoreMemoryWindow) work.window(), (CoreMemoryRegion) work.region(0), work.offset(0), work.length(0),
                        (int) work.valueOr(Part.ACCESS, 0));
                return;
            }
            default -> {
                // A Send, Write or Read without more.
            }
        }
        if (work.has(Part.RECEIVER)) {
            request.set(ValueLayout.JAVA_LONG, HANDLE, ((HeldHandle) work.handle()).address().address());
            request.set(ValueLayout.JAVA_INT, RECEIVER, (int) work.value(Part.RECEIVER));
            request.set(ValueLayout.JAVA_INT, QUEUE_KEY, (int) work.value(Part.QUEUE_KEY));
        }
        for (int i = 0; i < work.elements(); i++) {
            element((CoreMemoryRegion) work.region(i), work.offset(i), work.length(i), work.flags());
        }
    }

    private static void atomic(MemorySegment request, SendWorkRequest work, long comparedOrAdded, long swapped) {
        request.set(ValueLayout.JAVA_LONG, COMPARED_OR_ADDED, comparedOrAdded);
        request.set(ValueLayout.JAVA_LONG, SWAPPED, swapped);
        request.set(ValueLayout.JAVA_INT, ATOMIC_KEY, work.remoteKey());
    }

    /**
     * Adds a part. Empty parts are left out: to some hardware a length of 0 means 2 GiB. But a Read on iWARP keeps its part, since the
     * message names the sink (RFC 5040, 4.4): drivers that find no part may take what the slot of their queue held before, as siw does.
     */
    private void element(CoreMemoryRegion region, long offset, long length, int flags) {
        if (length == 0 && !isIwarpRead) {
            return;
        }
        long address = region.address() + offset;
        if ((flags & SendWorkRequest.INLINE) != 0) {
            if (region.segment().byteSize() == 0) {
                throw new IllegalArgumentException("memory of another device (a dma-buf) cannot be sent INLINE: it has no bytes here");
            }
            long at = ring.slot(current) * (long) inlineLength + inlined;
            MemorySegment.copy(region.segment(), offset, inline, at, length);
            address = inline.address() + at;
            inlined += length;
        }
        ring.element(current, elements++, address, length, region.localKey());
    }

    void publish(int sequence) {
        long request = ring.address(sequence);
        if (elements == 0) {
            // As in ReceiveWriter: irdma takes the first element at this address for the sink of a Read of no bytes.
            NativeMemory.setLong(request + ibv_send_wr.sg_list$offset(), 0);
        }
        NativeMemory.setInt(request + ibv_send_wr.num_sge$offset(), elements);
        ring.publish(sequence, elements);
    }

    /** Whether the device had no room for all. */
    boolean isStalled() {
        return stalled;
    }

    /** Submits the kept requests in as few chains as possible; the error number if the device refuses for another reason than lack of room. */
    int submit() {
        int posted = ring.posted();
        while (ring.submitted() != posted) {
            int first = ring.submitted();
            SendPath path = pathOf(first);
            if (last != path) {
                // Collectors want to know of each such write.
                last = path;
            }
            int end = chainEnd(first, posted, path);
            // Before the call: completions may be there before it returns.
            ring.submittedThrough(end);
            int error = path.post(first, end);
            boolean all = path.refused() == end;
            if (!all) {
                ring.submittedThrough(path.refused());
            }
            boolean isFull = !all && (error == 0 || error == Libc.ENOMEM());
            if (stalled != isFull) {
                // Seldom, as it costs a fence.
                stalled = isFull;
            }
            if (isFull) {
                return 0;
            } else if (error != 0) {
                return error;
            }
        }
        return 0;
    }

    private SendPath pathOf(int sequence) {
        return binds.has(sequence) ? binds : structs;
    }

    private int chainEnd(int first, int last, SendPath path) {
        int end = first + 1;
        while (path != binds && end != last && pathOf(end) == path) {
            end++;
        }
        return end;
    }

    /** The call that submitted last. */
    String lastCall() {
        return last.call();
    }

    /** The device reported that a request failed. */
    void onFailed(int sequence) {
        binds.onFailed(sequence);
    }

    /** Nothing is posted any more, and the queue pair goes. */
    void release() {
        binds.release();
    }

    /** Requests that are not submitted never will be. */
    void giveUp() {
        for (int sequence = ring.submitted(); sequence != ring.posted(); sequence++) {
            binds.onFailed(sequence);
        }
    }
}

package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.QueuePair;
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

/** The send queue's requests, written as the device reads them and submitted as a chain. For one thread at a time. */
// Tested by FlushFaultsTest, PostingContract.
final class SendChain {
    private static final int NATIVE_FLAGS = QueuePair.FENCE | QueuePair.SIGNALED | QueuePair.SOLICITED | QueuePair.INLINE;
    /** Of so many requests that are not signalled the device reports one, so that their places become free. */
    private static final int UNREPORTED = 32;
    static final long REMOTE_ADDRESS = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    static final long REMOTE_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    static final long COMPARED_OR_ADDED = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.compare_add$offset();
    static final long SWAPPED = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.swap$offset();
    static final long ATOMIC_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long HANDLE = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.ah$offset();
    private static final long RECEIVER = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qpn$offset();
    private static final long QUEUE_KEY = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.remote_qkey$offset();
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final WorkRing ring;
    private final PostedSends structs;
    /** {@code null} if requests go as structs only. */
    private final ExtendedSends extended;
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
     * @param arena    the arena that holds its requests
     * @param extended the {@code ibv_qp_ex}, or {@code null} if it is none
     */
    SendChain(Arena arena, MemorySegment queuePair, MemorySegment extended, PostingDevice device, QueuePairAttributes attributes,
            long tag) {
        this.ring = new WorkRing(arena, attributes.sendDepth(), attributes.sendElements(), ibv_send_wr.sizeof());
        this.structs = new PostedSends(queuePair, device.calls().postSend(), ring);
        this.tag = tag | WrIdTable.SEND;
        this.isIwarp = device.isIwarp();
        this.refusesFencedRead = device.has(Quirk.REFUSES_FENCED_READ);
        this.reportsReadLate = device.has(Quirk.REPORTS_READ_LATE);
        this.signalAll = attributes.signalAll();
        this.interval = Math.clamp(attributes.sendDepth() / 2, 1, UNREPORTED);
        this.inlineLength = attributes.inlineLength();
        this.inline = arena.allocate(Math.max(8, ring.slots() * (long) inlineLength), 8);
        this.extended = extended == null ? null : new ExtendedSends(extended, ring, inlineParts());
        this.binds = new WindowBinds(queuePair, device.bindWindow(), ring, structs, this.extended);
    }

    private MemorySegment[] inlineParts() {
        MemorySegment[] parts = new MemorySegment[ring.slots()];
        for (int i = 0; i < parts.length; i++) {
            // By address alone: given to a call, a segment of an arena that can be closed costs two locked instructions.
            parts[i] = MemorySegment.ofAddress(inline.address() + i * (long) inlineLength);
        }
        return parts;
    }

    WorkRing workRing() {
        return ring;
    }

    /** Starts a request; its elements follow. */
    int begin(int opcode, long id, long remoteAddress, int remoteKey, int flags) {
        boolean visible = signalAll || (flags & QueuePair.SIGNALED) != 0;
        boolean isRead = opcode == Rdma.IBV_WR_RDMA_READ();
        isIwarpRead = isIwarp && isRead;
        boolean reported = visible || isRead && reportsReadLate || unreported + 1 >= interval;
        unreported = reported ? 0 : unreported + 1;
        int sequence = ring.begin(id, visible, reported);
        int allowed = isRead && refusesFencedRead ? NATIVE_FLAGS & ~QueuePair.FENCE : NATIVE_FLAGS;
        long request = ring.address(sequence);
        NativeMemory.setLong(request + ibv_send_wr.wr_id$offset(), tag | Integer.toUnsignedLong(sequence));
        NativeMemory.setLong(request + ibv_send_wr.next$offset(), 0);
        NativeMemory.setLong(request + ibv_send_wr.sg_list$offset(), ring.elementsAddress(sequence));
        NativeMemory.setInt(request + ibv_send_wr.opcode$offset(), opcode);
        NativeMemory.setInt(request + ibv_send_wr.send_flags$offset(),
                flags & allowed & ~QueuePair.SIGNALED | (reported ? QueuePair.SIGNALED : 0));
        // One union: the device ignores the fields that are not needed here, and libsiw looks for the key to invalidate in the other.
        NativeMemory.setInt(request + ibv_send_wr.invalidate_rkey$offset(), remoteKey);
        NativeMemory.setLong(request + REMOTE_ADDRESS, remoteAddress);
        NativeMemory.setInt(request + REMOTE_KEY, remoteKey);
        binds.clear(sequence);
        current = sequence;
        elements = 0;
        inlined = 0;
        return sequence;
    }

    /** The request carries immediate data. */
    void immediate(int value) {
        ring.request(current).set(NETWORK_INT, ibv_send_wr.imm_data$offset(), value);
    }

    /** The request is a datagram. */
    void datagram(MemorySegment handle, int receiver, int queueKey) {
        MemorySegment request = ring.request(current);
        request.set(ValueLayout.JAVA_LONG, HANDLE, handle.address());
        request.set(ValueLayout.JAVA_INT, RECEIVER, receiver);
        request.set(ValueLayout.JAVA_INT, QUEUE_KEY, queueKey);
    }

    /** The request is an atomic. */
    void atomic(int remoteKey, long comparedOrAdded, long swapped) {
        MemorySegment request = ring.request(current);
        request.set(ValueLayout.JAVA_LONG, COMPARED_OR_ADDED, comparedOrAdded);
        request.set(ValueLayout.JAVA_LONG, SWAPPED, swapped);
        request.set(ValueLayout.JAVA_INT, ATOMIC_KEY, remoteKey);
    }

    /** The request binds a memory window. */
    void bind(CoreMemoryWindow window, CoreMemoryRegion region, long offset, long length, int access) {
        binds.set(current, window, region, offset, length, access);
    }

    /**
     * Adds a part. Empty parts are left out: to some hardware a length of 0 means 2 GiB. But a Read on iWARP keeps its part, since the
     * message names the sink (RFC 5040, 4.4): drivers that find no part may take what the slot of their queue held before, as siw does.
     */
    void element(CoreMemoryRegion region, long offset, long length, int flags) {
        if (length == 0 && !isIwarpRead) {
            return;
        }
        long address = region.address() + offset;
        if ((flags & QueuePair.INLINE) != 0) {
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
            // As in ReceiveRequest: irdma takes the first element at this address for the sink of a Read of no bytes.
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
        if (binds.has(sequence)) {
            return binds;
        }
        return extended != null && extended.takes(sequence) ? extended : structs;
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

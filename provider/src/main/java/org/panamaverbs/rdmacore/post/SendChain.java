package org.panamaverbs.rdmacore.post;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
    /** The opcode of each operation, by ordinal; no device has Immediate Data messages. */
    private static final int[] OPCODES = opcodes();
    /** Where the bytes of each operation count, by ordinal. */
    private static final byte[] PAYLOADS = payloads();
    private static final byte NO_PAYLOAD = 0;
    private static final byte SENT = 1;
    private static final byte READ = 2;
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
    /** The flags that the device takes as they are. */
    private final int unchangedFlags;
    /** The bytes that the requests posted carry, by {@link #PAYLOADS}. */
    private final long[] payload = new long[READ + 1];
    private volatile boolean stalled;
    private SendPath refusing;

    /**
     * @param arena the arena that holds its requests
     */
    SendChain(Arena arena, MemorySegment queuePair, PostingDevice device, QueuePairAttributes attributes, long tag) {
        this.ring = new WorkRing(arena, attributes.sendDepth(), device.keepAlive().isOn() ? 1 : 0, attributes.sendElements(),
                ibv_send_wr.sizeof());
        this.structs = new PostedSends(arena, queuePair, device.calls().postSend(), ring);
        this.tag = tag | WrIdTable.SEND;
        this.isIwarp = device.isIwarp();
        this.refusesFencedRead = device.has(Quirk.REFUSES_FENCED_READ);
        this.reportsReadLate = device.has(Quirk.REPORTS_READ_LATE);
        this.signalAll = attributes.signalAll();
        boolean reportsAll = device.has(Quirk.REFUSES_SILENT_REQUEST);
        this.unchangedFlags = reportsAll ? SendWorkRequest.INLINE : SendWorkRequest.SOLICITED | SendWorkRequest.INLINE;
        this.interval = reportsAll ? 1 : Math.clamp(attributes.sendDepth() / 2, 1, UNREPORTED);
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

    private static byte[] payloads() {
        byte[] payloads = new byte[SendOperation.values().length];
        for (SendOperation operation : SendOperation.values()) {
            payloads[operation.ordinal()] = switch (operation) {
                case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE -> SENT;
                case READ -> READ;
                default -> NO_PAYLOAD;
            };
        }
        return payloads;
    }

    WorkRing workRing() {
        return ring;
    }

    /** Writes a request; the device does not see it before {@link #publish}. */
    int begin(SendWorkRequest work) {
        int opcode = OPCODES[work.operation().ordinal()];
        boolean visible = signalAll || (work.flags() & SendWorkRequest.SIGNALED) != 0;
        return begin(work, opcode, visible, visible || isReported(opcode));
    }

    /** Writes a probe: a request whose success the device reports, and the program does not see. */
    int beginProbe(SendWorkRequest work) {
        int sequence = begin(work, OPCODES[work.operation().ordinal()], false, true);
        ring.markProbe();
        return sequence;
    }

    private int begin(SendWorkRequest work, int opcode, boolean visible, boolean reported) {
        int sequence = ring.begin(work.id(), visible, reported);
        long request = ring.address(sequence);
        NativeMemory.setLong(request + ibv_send_wr.wr_id$offset(), tag | Integer.toUnsignedLong(sequence));
        NativeMemory.setInt(request + ibv_send_wr.opcode$offset(), opcode);
        NativeMemory.setInt(request + ibv_send_wr.send_flags$offset(), flags(work, opcode, reported));
        // One union: the device ignores the fields that are not needed here, and libsiw looks for the key to invalidate in the other.
        NativeMemory.setInt(request + ibv_send_wr.invalidate_rkey$offset(), work.remoteKey());
        NativeMemory.setLong(request + REMOTE_ADDRESS, work.remoteAddress());
        NativeMemory.setInt(request + REMOTE_KEY, work.remoteKey());
        binds.clear(sequence);
        int elements = isPlain(opcode) && !work.has(Part.RECEIVER) ? writeElements(sequence, work, isIwarp && isRead(opcode))
                : describe(sequence, work, request);
        ring.memory().elements(ring.slot(sequence), elements);
        return sequence;
    }

    /** Whether the device is to report the success of a request that the program does not want to see. */
    private boolean isReported(int opcode) {
        return isRead(opcode) && reportsReadLate || ring.silent() + 1 >= interval;
    }

    private static boolean isRead(int opcode) {
        return opcode == Rdma.IBV_WR_RDMA_READ();
    }

    /** The flags of a request for the device. */
    private int flags(SendWorkRequest work, int opcode, boolean reported) {
        // A datagram has no Read to wait for.
        boolean isFenceable = !(isRead(opcode) && refusesFencedRead || work.has(Part.RECEIVER));
        return work.flags() & (isFenceable ? unchangedFlags | SendWorkRequest.FENCE : unchangedFlags)
                | (reported ? SendWorkRequest.SIGNALED : 0);
    }

    /** Whether an operation has the fields that {@link #begin} writes, and memory. */
    private static boolean isPlain(int opcode) {
        return opcode == Rdma.IBV_WR_RDMA_WRITE() || opcode == Rdma.IBV_WR_SEND() || isRead(opcode);
    }

    /** Writes the fields that only some operations have, and the memory; gives the number of elements. */
    private int describe(int sequence, SendWorkRequest work, long request) {
        switch (work.operation()) {
            case SEND_WITH_IMMEDIATE, WRITE_WITH_IMMEDIATE ->
                NativeMemory.setNetworkInt(request + ibv_send_wr.imm_data$offset(), work.immediate());
            case COMPARE_AND_SWAP -> atomic(request, work, work.value(Part.COMPARE), work.value(Part.SWAP));
            case FETCH_AND_ADD -> atomic(request, work, work.value(Part.ADD), 0);
            case BIND -> {
                binds.set(sequence, (CoreMemoryWindow) work.window(), (CoreMemoryRegion) work.region(0), work.offset(0), work.length(0),
                        (int) work.valueOr(Part.ACCESS, 0));
                return 0;
            }
            default -> {
                // A Send without more.
            }
        }
        if (work.has(Part.RECEIVER)) {
            NativeMemory.setLong(request + HANDLE, ((HeldHandle) work.handle()).address().address());
            NativeMemory.setInt(request + RECEIVER, (int) work.value(Part.RECEIVER));
            NativeMemory.setInt(request + QUEUE_KEY, (int) work.value(Part.QUEUE_KEY));
        }
        return writeElements(sequence, work, false);
    }

    private static void atomic(long request, SendWorkRequest work, long comparedOrAdded, long swapped) {
        NativeMemory.setLong(request + COMPARED_OR_ADDED, comparedOrAdded);
        NativeMemory.setLong(request + SWAPPED, swapped);
        NativeMemory.setInt(request + ATOMIC_KEY, work.remoteKey());
    }

    /**
     * Writes the memory of a request; gives the number of elements. Empty parts are left out: to some hardware a length of 0 means 2 GiB. But
     * a Read on iWARP keeps its part, since the message names the sink (RFC 5040, 4.4): drivers that find no part may take what the slot of
     * their queue held before, as siw does.
     */
    private int writeElements(int sequence, SendWorkRequest work, boolean keepsEmpty) {
        if ((work.flags() & SendWorkRequest.INLINE) != 0) {
            return copyInline(sequence, work);
        }
        int written = 0;
        for (int i = 0; i < work.elements(); i++) {
            long length = work.length(i);
            if (length != 0 || keepsEmpty) {
                CoreMemoryRegion region = (CoreMemoryRegion) work.region(i);
                ring.element(sequence, written++, region.address() + work.offset(i), length, region.localKey());
            }
        }
        return written;
    }

    /** As {@link #writeElements}, of a copy of the memory. */
    private int copyInline(int sequence, SendWorkRequest work) {
        int written = 0;
        long at = ring.slot(sequence) * (long) inlineLength;
        for (int i = 0; i < work.elements(); i++) {
            long length = work.length(i);
            if (length != 0) {
                CoreMemoryRegion region = (CoreMemoryRegion) work.region(i);
                if (region.segment().byteSize() == 0) {
                    throw new IllegalArgumentException("memory of another device (a dma-buf) cannot be sent INLINE: it has no bytes here");
                }
                MemorySegment.copy(region.segment(), work.offset(i), inline, at, length);
                ring.element(sequence, written++, inline.address() + at, length, region.localKey());
                at += length;
            }
        }
        return written;
    }

    /** The request that was begun is whole: it goes with the next chain. */
    void publish(int sequence, SendWorkRequest work) {
        if (ring.submitted() != sequence) {
            // It follows another one that waits.
            NativeMemory.setLong(ring.address(sequence - 1) + ibv_send_wr.next$offset(), ring.address(sequence));
        }
        ring.publish(sequence);
        payload[PAYLOADS[work.operation().ordinal()]] += work.totalLength();
    }

    /** The payload of the Sends and Writes that were posted, in bytes. */
    long bytesSent() {
        return payload[SENT];
    }

    /** The payload of the Reads that were posted, in bytes. */
    long bytesRead() {
        return payload[READ];
    }

    /** Whether the device had no room for all. */
    boolean isStalled() {
        return stalled;
    }

    /** Submits the kept requests in as few chains as possible; the error number if the device refuses for another reason than lack of room. */
    int submit() {
        int posted = ring.posted();
        int error = submitThrough(posted);
        boolean isFull = error == 0 && ring.submitted() != posted;
        // Written at the end alone: another thread that sees it false has nothing to retry. Seldom, as it costs a fence.
        if (stalled != isFull) {
            stalled = isFull;
        }
        return error;
    }

    private int submitThrough(int posted) {
        while (ring.submitted() != posted) {
            int first = ring.submitted();
            SendPath path = pathOf(first);
            int end = binds.isUsed() ? chainEnd(first, posted, path) : posted;
            // Before the call: completions may be there before it returns.
            ring.submittedThrough(end);
            int error = path.post(first, end);
            boolean all = path.refused() == end;
            if (!all) {
                ring.submittedThrough(path.refused());
            }
            if (!all && (error == 0 || error == Libc.ENOMEM())) {
                return 0;
            } else if (error != 0) {
                refusing = path;
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

    /** The call by which the device refused requests last. */
    String refusedCall() {
        return refusing.call();
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

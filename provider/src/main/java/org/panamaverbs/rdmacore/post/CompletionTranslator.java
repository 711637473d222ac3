package org.panamaverbs.rdmacore.post;

import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.RequestSlots;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Translates the device's reports on the requests of one work queue into the completions that the program expects: with the program's own
 * IDs, one status for one failure, only those that it asked for, all in the order posted. Under the completion queue's lock. A report is
 * named by the address of its {@code ibv_wc}.
 */
public final class CompletionTranslator {
    private static final int WRITTEN = CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE.value();

    private final WorkRing ring;
    private final WorkOwner owner;
    private final PostingDevice device;
    private final CompletionSink completions;
    private final boolean isSend;
    /** The payload of the messages received, in bytes. */
    private long bytesReceived;

    CompletionTranslator(WorkRing ring, WorkOwner owner, PostingDevice device, CompletionSink completions, boolean isSend) {
        this.ring = ring;
        this.owner = owner;
        this.device = device;
        this.completions = completions;
        this.isSend = isSend;
    }

    /** As {@code WorkCompletionHandler.onReport}. */
    boolean translate(long request, long completion, CompletionBuffer polled, int index) {
        int sequence = (int) request;
        if (!ring.isOutstanding(sequence)) {
            return false;
        }
        NativeMemory.setLong(completion + CompletionBuffer.ID, ring.id(sequence));
        boolean wanted = ring.isVisible(sequence);
        if (NativeMemory.getInt(completion + CompletionBuffer.STATUS) != 0) {
            wanted = !ring.isProbe(sequence);
            onFailed(sequence, completion, wanted);
        } else if (isSend) {
            checkDirection(completion, false);
        } else {
            checkDirection(completion, true);
            bytesReceived += received(completion, device);
        }
        if (!ring.isDoneInOrder(sequence)) {
            // siw reports what was sent at once, and a Read before it when its answer has come.
            ring.hold(sequence, wanted ? KeptCompletion.copy(polled, index, owner.attachment()) : null);
            return false;
        }
        ring.retireThrough(sequence);
        if (ring.holds()) {
            release();
        }
        return wanted;
    }

    /** A device that takes a send for a receive, or a receive for a send, names no operation. */
    public static void checkDirection(long completion, boolean isReceive) {
        boolean saysReceive = (NativeMemory.getInt(completion + CompletionBuffer.OPCODE) & CompletionBuffer.RECEIVED) != 0;
        if (saysReceive != isReceive) {
            int unknown = CompletionOpcode.UNKNOWN.value();
            NativeMemory.setInt(completion + CompletionBuffer.OPCODE, isReceive ? unknown : unknown & ~CompletionBuffer.RECEIVED);
        }
    }

    private void onFailed(int sequence, long completion, boolean isOfProgram) {
        int status = statusOfMemory(completion, ring.memory(), ring.slot(sequence), device);
        NativeMemory.setInt(completion + CompletionBuffer.OPCODE, isSend ? 0 : CompletionBuffer.RECEIVED);
        ring.onFailed();
        if (isOfProgram) {
            owner.onFailure(isSend, status);
        } else {
            owner.onUnanswered(status);
        }
    }

    long bytesReceived() {
        return bytesReceived;
    }

    private void release() {
        int end = ring.posted();
        int sequence;
        while ((sequence = ring.nextReleasable(end)) != end) {
            completions.addLate(ring.release(sequence));
            ring.retireThrough(sequence);
        }
    }

    /** The status of a request that failed. If a region of it is not there any more, for which drivers have several names, it has one. */
    public static int statusOfMemory(long completion, RequestSlots slots, int slot, PostingDevice device) {
        int status = NativeMemory.getInt(completion + CompletionBuffer.STATUS);
        if (isLocalError(status) && !slots.hasLiveRegions(slot, device.regions()::hasLocalKey)) {
            status = CompletionStatus.LOCAL_PROTECTION_ERROR.value();
            NativeMemory.setInt(completion + CompletionBuffer.STATUS, status);
        }
        return status;
    }

    /**
     * A message was received: the key that it invalidated is no longer valid.
     *
     * @return its length in bytes; 0 if it is the end of a Write, whose bytes went elsewhere
     */
    public static long received(long completion, PostingDevice device) {
        int flags = NativeMemory.getInt(completion + CompletionBuffer.FLAGS);
        if (flags != 0) {
            onFlags(completion, flags, device);
        }
        return NativeMemory.getInt(completion + CompletionBuffer.OPCODE) == WRITTEN ? 0
                : Integer.toUnsignedLong(NativeMemory.getInt(completion + CompletionBuffer.BYTE_LENGTH));
    }

    private static void onFlags(long completion, int reported, PostingDevice device) {
        int flags = reported;
        if (NativeMemory.getInt(completion + CompletionBuffer.SOURCE_QUEUE_PAIR) == 0) {
            flags = withoutThoseOfDatagrams(flags, device);
            NativeMemory.setInt(completion + CompletionBuffer.FLAGS, flags);
        }
        if ((flags & CompletionBuffer.WITH_INVALIDATE) != 0) {
            device.regions().onInvalidated(NativeMemory.getInt(completion + CompletionBuffer.IMMEDIATE));
        }
    }

    /** Only a datagram has a routing header in its memory: librxe, for one, names one for each message. */
    private static int withoutThoseOfDatagrams(int flags, PostingDevice device) {
        int checksum = Rdma.IBV_WC_IP_CSUM_OK();
        int invalidate = (flags & checksum) != 0 && device.has(Quirk.REPORTS_KERNEL_FLAGS) ? CompletionBuffer.WITH_INVALIDATE : 0;
        return flags & ~(checksum | CompletionBuffer.WITH_ROUTING_HEADER) | invalidate;
    }

    /** Whether a status may mean that something is wrong with memory of ours. */
    public static boolean isLocalError(int status) {
        return status == CompletionStatus.LOCAL_QP_OPERATION_ERROR.value() || status == CompletionStatus.LOCAL_ACCESS_ERROR.value()
                || status == CompletionStatus.GENERAL_ERROR.value();
    }
}

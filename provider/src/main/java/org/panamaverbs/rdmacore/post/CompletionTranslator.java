package org.panamaverbs.rdmacore.post;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.CompletionSink;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.WorkRing;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Translates the device's reports on the requests of one work queue into the completions that the program expects: with the program's own
 * IDs, one status for one failure, only those that it asked for, all in the order posted. Under the completion queue's lock.
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
    boolean translate(long request, CompletionBuffer polled, int index) {
        int sequence = (int) request;
        if (!ring.isOutstanding(sequence)) {
            return false;
        }
        MemorySegment memory = polled.memory();
        long at = index * CompletionBuffer.SIZE;
        long address = memory.address() + at;
        int status = NativeMemory.getInt(address + CompletionBuffer.STATUS);
        boolean wanted = status != 0 || ring.isVisible(sequence);
        if (isLocalError(status) && !ring.hasLiveRegions(sequence, device.regions()::hasLocalKey)) {
            status = blameMemory(memory, at);
        }
        NativeMemory.setLong(address + CompletionBuffer.ID, ring.id(sequence));
        if (status != 0) {
            NativeMemory.setInt(address + CompletionBuffer.OPCODE, isSend ? 0 : CompletionBuffer.RECEIVED);
            ring.onFailed();
            owner.onFailure(isSend, status);
        } else if (!isSend) {
            bytesReceived += received(memory, at, device);
        }
        return isNext(sequence, wanted, polled, index);
    }

    long bytesReceived() {
        return bytesReceived;
    }

    private boolean isNext(int sequence, boolean wanted, CompletionBuffer polled, int index) {
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

    private void release() {
        int end = ring.posted();
        int sequence;
        while ((sequence = ring.nextReleasable(end)) != end) {
            completions.addLate(ring.release(sequence));
            ring.retireThrough(sequence);
        }
    }

    /** The completion says that a region is not there any more, for which drivers have several names; gives the one. */
    public static int blameMemory(MemorySegment memory, long at) {
        int status = CompletionStatus.LOCAL_PROTECTION_ERROR.value();
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.STATUS, status);
        return status;
    }

    /**
     * A message was received: the key that it invalidated is no longer valid.
     *
     * @return its length in bytes; 0 if it is the end of a Write, whose bytes went elsewhere
     */
    public static long received(MemorySegment memory, long at, PostingDevice device) {
        int flags = memory.get(ValueLayout.JAVA_INT, at + CompletionBuffer.FLAGS);
        if (memory.get(ValueLayout.JAVA_INT, at + CompletionBuffer.SOURCE_QUEUE_PAIR) == 0) {
            flags = withoutThoseOfDatagrams(flags, device);
            memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.FLAGS, flags);
        }
        if ((flags & CompletionBuffer.WITH_INVALIDATE) != 0) {
            device.regions().onInvalidated(memory.get(ValueLayout.JAVA_INT, at + CompletionBuffer.IMMEDIATE));
        }
        return memory.get(ValueLayout.JAVA_INT, at + CompletionBuffer.OPCODE) == WRITTEN ? 0
                : Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT, at + CompletionBuffer.BYTE_LENGTH));
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

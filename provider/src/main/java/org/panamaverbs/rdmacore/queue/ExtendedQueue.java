package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_cq_ex;
import org.panamaverbs.bindings.rdma.ibv_cq_init_attr_ex;
import org.panamaverbs.bindings.rdma.ibv_poll_cq_attr;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.ffi.ControlCall;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;
import org.panamaverbs.rdmacore.ffi.Layouts;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * A completion queue whose completions have a time stamp ({@code ibv_cq_ex}). It gives one field by each call.
 *
 * <p>Each completion is a poll of its own, from {@code start_poll} to {@code end_poll}: if there is no further one, librxe (of
 * rdma-core 44) has ended the poll when {@code next_poll} returns, and other libraries have not.
 */
// Tested by ExtendedQueueFaultsTest, CoreCompletionQueuePollFaultsTest.
@SuppressWarnings("restricted") // pointers that native code hands out have no size
public final class ExtendedQueue implements PolledQueue {
    /** Flags that say that {@code imm_data} is valid; the last is librxe's for an invalidated key, see {@code CompletionTranslator}. */
    private static final int HAS_DATA = CompletionBuffer.WITH_IMMEDIATE | CompletionBuffer.WITH_INVALIDATE | Rdma.IBV_WC_IP_CSUM_OK();

    /** Without any extension; libraries only read it. */
    private static final MemorySegment ATTRIBUTES = ibv_poll_cq_attr.allocate(Arena.global());

    private final MemorySegment address;
    /** The fields behind its mutex. */
    private final MemorySegment fields;
    private final MemorySegment startPoll;
    private final MemorySegment endPoll;
    private final MemorySegment readOpcode;
    private final MemorySegment readVendorError;
    private final MemorySegment readByteLength;
    private final MemorySegment readImmediate;
    private final MemorySegment readQueuePair;
    private final MemorySegment readSourceQueuePair;
    private final MemorySegment readFlags;
    private final MemorySegment readSourceLid;
    private final MemorySegment readServiceLevel;
    private final MemorySegment readPathBits;
    private final MemorySegment readTimestamp;
    /** A result of {@code start_poll} that is neither success nor an empty queue: kept, since completions may have come before it. */
    private int error;

    /**
     * @param channel the channel on which the device reports completions
     * @param device  its name
     * @param vector  the completion vector
     */
    public ExtendedQueue(MemorySegment context, MemorySegment channel, String device, int entries, int vector) {
        this(create("create an extended completion queue of " + entries + " entries on " + device, context, channel, entries, vector));
    }

    private ExtendedQueue(MemorySegment queue) {
        this.address = queue.reinterpret(ibv_cq_ex.sizeof());
        this.fields = Layouts.behindMutex(queue, ibv_cq_ex.sizeof());
        this.startPoll = ibv_cq_ex.start_poll(fields);
        this.endPoll = ibv_cq_ex.end_poll(fields);
        this.readOpcode = ibv_cq_ex.read_opcode(fields);
        this.readVendorError = ibv_cq_ex.read_vendor_err(fields);
        this.readByteLength = ibv_cq_ex.read_byte_len(fields);
        this.readImmediate = ibv_cq_ex.read_imm_data(fields);
        this.readQueuePair = ibv_cq_ex.read_qp_num(fields);
        this.readSourceQueuePair = ibv_cq_ex.read_src_qp(fields);
        this.readFlags = ibv_cq_ex.read_wc_flags(fields);
        this.readSourceLid = ibv_cq_ex.read_slid(fields);
        this.readServiceLevel = ibv_cq_ex.read_sl(fields);
        this.readPathBits = ibv_cq_ex.read_dlid_path_bits(fields);
        this.readTimestamp = ibv_cq_ex.read_completion_ts(fields);
    }

    /** {@code ibv_create_cq_ex}. */
    public static MemorySegment create(String action, MemorySegment context, MemorySegment channel, int entries, int vector) {
        ControlCall call = ExtendedVerbs.createCompletionQueue(context);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment wanted = ibv_cq_init_attr_ex.allocate(arena).fill((byte) 0);
            ibv_cq_init_attr_ex.cqe(wanted, entries);
            ibv_cq_init_attr_ex.channel(wanted, channel);
            ibv_cq_init_attr_ex.comp_vector(wanted, vector);
            ibv_cq_init_attr_ex.wc_flags(wanted, Rdma.IBV_WC_STANDARD_FLAGS() | Rdma.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP());
            return call.object(action, context, wanted);
        }
    }

    @Override
    public MemorySegment address() {
        return address;
    }

    @Override
    public int poll(CompletionBuffer into, int first, int most) {
        int count = 0;
        while (count < most && error == 0) {
            int result = ibv_cq_ex.start_poll.invoke(startPoll, address, ATTRIBUTES);
            if (result == 0) {
                read(into, first + count);
                ibv_cq_ex.end_poll.invoke(endPoll, address);
                count++;
            } else if (result == Libc.ENOENT()) {
                return count;
            } else {
                error = result;
            }
        }
        return count > 0 ? count : -Math.abs(error);
    }

    @Override
    public String failure(int result) {
        // Some libraries give numbers of their own here, which are negative.
        return error > 0 ? "ibv_start_poll: " + Errno.describe(error) : "ibv_start_poll returned " + error;
    }

    @Override
    public boolean knowsTime() {
        return true;
    }

    /** The fields that are not valid in a completion that failed may not be read either. */
    private void read(CompletionBuffer into, int index) {
        MemorySegment memory = into.memory();
        long at = index * CompletionBuffer.SIZE;
        int status = fields.get(ValueLayout.JAVA_INT, ibv_cq_ex.status$offset());
        for (long i = 0; i < CompletionBuffer.SIZE; i += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at + i, 0);
        }
        memory.set(ValueLayout.JAVA_LONG, at + CompletionBuffer.ID, fields.get(ValueLayout.JAVA_LONG, ibv_cq_ex.wr_id$offset()));
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.STATUS, status);
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.QUEUE_PAIR, ibv_cq_ex.read_qp_num.invoke(readQueuePair, address));
        if (status == 0) {
            readSuccess(memory, at);
        } else {
            memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.VENDOR_ERROR,
                    ibv_cq_ex.read_vendor_err.invoke(readVendorError, address));
        }
        into.timestamps().setAtIndex(ValueLayout.JAVA_LONG, index, ibv_cq_ex.read_completion_ts.invoke(readTimestamp, address));
    }

    private void readSuccess(MemorySegment memory, long at) {
        int opcode = ibv_cq_ex.read_opcode.invoke(readOpcode, address);
        int flags = ibv_cq_ex.read_wc_flags.invoke(readFlags, address);
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.OPCODE, opcode);
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.FLAGS, flags);
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.BYTE_LENGTH, ibv_cq_ex.read_byte_len.invoke(readByteLength, address));
        if ((flags & HAS_DATA) != 0) {
            memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.IMMEDIATE, ibv_cq_ex.read_imm_data.invoke(readImmediate, address));
        }
        if (opcode >= CompletionOpcode.RECEIVE.value()) {
            readOrigin(memory, at);
        }
    }

    /** Reads the origin of a datagram. */
    private void readOrigin(MemorySegment memory, long at) {
        memory.set(ValueLayout.JAVA_INT, at + CompletionBuffer.SOURCE_QUEUE_PAIR,
                ibv_cq_ex.read_src_qp.invoke(readSourceQueuePair, address));
        memory.set(ValueLayout.JAVA_SHORT, at + ibv_wc.slid$offset(), (short) ibv_cq_ex.read_slid.invoke(readSourceLid, address));
        memory.set(ValueLayout.JAVA_BYTE, at + ibv_wc.sl$offset(), ibv_cq_ex.read_sl.invoke(readServiceLevel, address));
        memory.set(ValueLayout.JAVA_BYTE, at + ibv_wc.dlid_path_bits$offset(), ibv_cq_ex.read_dlid_path_bits.invoke(readPathBits, address));
    }
}

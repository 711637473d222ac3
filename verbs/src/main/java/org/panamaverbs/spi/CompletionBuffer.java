package org.panamaverbs.spi;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;

/**
 * The memory of {@link Completions}: a provider fills it from its start, and says by {@link #filled} how many there are.
 *
 * The memory is an array of {@code struct ibv_wc}, in the machine's byte order:
 *
 * <pre>
 *  0 wr_id 64 | 8 status 32 | 12 opcode 32 | 16 vendor_err 32 | 20 byte_len 32
 * 24 imm_data or invalidated_rkey 32 | 28 qp_num 32 | 32 src_qp 32 | 36 wc_flags 32
 * 40 pkey_index 16 | 42 slid 16 | 44 sl 8 | 45 dlid_path_bits 8 | 46 padding 16
 * </pre>
 */
public final class CompletionBuffer implements Completions {
    /** One completion, as {@code struct ibv_wc}. */
    public static final MemoryLayout LAYOUT = MemoryLayout.structLayout(ValueLayout.JAVA_LONG.withName("wr_id"),
            ValueLayout.JAVA_INT.withName("status"), ValueLayout.JAVA_INT.withName("opcode"),
            ValueLayout.JAVA_INT.withName("vendor_err"), ValueLayout.JAVA_INT.withName("byte_len"),
            ValueLayout.JAVA_INT.withName("imm_data"), ValueLayout.JAVA_INT.withName("qp_num"),
            ValueLayout.JAVA_INT.withName("src_qp"), ValueLayout.JAVA_INT.withName("wc_flags"),
            ValueLayout.JAVA_SHORT.withName("pkey_index"), ValueLayout.JAVA_SHORT.withName("slid"),
            ValueLayout.JAVA_BYTE.withName("sl"), ValueLayout.JAVA_BYTE.withName("dlid_path_bits"),
            MemoryLayout.paddingLayout(2)).withName("ibv_wc");

    /** The size of one, in bytes. */
    public static final long SIZE = 48;
    /** Offset of the request's number. */
    public static final long ID = 0;
    /** Offset of the status. */
    public static final long STATUS = 8;
    /** Offset of the opcode. */
    public static final long OPCODE = 12;
    /** Offset of the vendor's error code. */
    public static final long VENDOR_ERROR = 16;
    /** Offset of the number of bytes. */
    public static final long BYTE_LENGTH = 20;
    /** Offset of the immediate data or the invalidated key. */
    public static final long IMMEDIATE = 24;
    /** Offset of the queue pair's number. */
    public static final long QUEUE_PAIR = 28;
    /** Offset of the number of the queue pair that sent a datagram. */
    public static final long SOURCE_QUEUE_PAIR = 32;
    /** Offset of the flags. */
    public static final long FLAGS = 36;
    /** Offset of the 8 bytes of an Immediate Data message, in network byte order; devices that have such messages use no other field there. */
    public static final long IMMEDIATE_64 = 40;

    /** Flag: a datagram came with a global routing header. */
    public static final int WITH_ROUTING_HEADER = 1;
    /** Flag: immediate data is valid. */
    public static final int WITH_IMMEDIATE = 2;
    /** Flag: the invalidated key is valid. */
    public static final int WITH_INVALIDATE = 8;
    /** Flag of ours: the 8 bytes of an Immediate Data message are valid. */
    public static final int WITH_IMMEDIATE_64 = 1 << 30;

    /** Immediate data lies there as it came from the wire. */
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment memory;
    private final MemorySegment timestamps;
    private final Object[] attachments;
    private final int capacity;
    private int count;
    private int index = -1;
    private long base;

    private CompletionBuffer(MemorySegment memory, MemorySegment timestamps, int capacity) {
        this.memory = memory;
        this.timestamps = timestamps;
        this.attachments = new Object[capacity];
        this.capacity = capacity;
    }

    /**
     * Makes one.
     *
     * @param allocator the source of its memory
     * @param capacity  the most completions that one poll brings, 1 or more
     * @return an empty one
     */
    public static CompletionBuffer allocate(SegmentAllocator allocator, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("completions need room for 1 or more, not " + capacity);
        }
        return new CompletionBuffer(allocator.allocate(SIZE * capacity, 8), allocator.allocate((long) Long.BYTES * capacity, 8), capacity);
    }

    @Override
    public boolean next() {
        if (index + 1 >= count) {
            index = count;
            return false;
        }
        index++;
        base = index * SIZE;
        return true;
    }

    @Override
    public int remaining() {
        return index >= count ? 0 : count - 1 - index;
    }

    @Override
    public void clear() {
        index = count;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public long id() {
        return memory.get(ValueLayout.JAVA_LONG, at(ID));
    }

    @Override
    public boolean isSuccess() {
        return memory.get(ValueLayout.JAVA_INT, at(STATUS)) == 0;
    }

    @Override
    public CompletionStatus status() {
        return CompletionStatus.of(memory.get(ValueLayout.JAVA_INT, at(STATUS)));
    }

    @Override
    public CompletionOpcode opcode() {
        return CompletionOpcode.of(memory.get(ValueLayout.JAVA_INT, at(OPCODE)));
    }

    @Override
    public int vendorError() {
        return memory.get(ValueLayout.JAVA_INT, at(VENDOR_ERROR));
    }

    @Override
    public long byteLength() {
        return Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT, at(BYTE_LENGTH)));
    }

    @Override
    public boolean hasInvalidatedKey() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_INVALIDATE) != 0;
    }

    @Override
    public int invalidatedKey() {
        return memory.get(ValueLayout.JAVA_INT, at(IMMEDIATE));
    }

    @Override
    public boolean hasImmediate() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE) != 0;
    }

    @Override
    public int immediate() {
        return memory.get(NETWORK_INT, at(IMMEDIATE));
    }

    @Override
    public boolean hasImmediate64() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE_64) != 0;
    }

    @Override
    public long immediate64() {
        return memory.get(NETWORK_LONG, at(IMMEDIATE_64));
    }

    @Override
    public boolean hasRoutingHeader() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_ROUTING_HEADER) != 0;
    }

    @Override
    public int sourceQueuePairNumber() {
        return memory.get(ValueLayout.JAVA_INT, at(SOURCE_QUEUE_PAIR));
    }

    @Override
    public long timestamp() {
        at(0);
        return timestamps.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @Override
    public int queuePairNumber() {
        return memory.get(ValueLayout.JAVA_INT, at(QUEUE_PAIR));
    }

    @Override
    public Object attachment() {
        at(0);
        return attachments[index];
    }

    /**
     * Says which object is attached to the queue pair of a completion; said for each completion of each poll.
     *
     * @param position   0 to {@link #capacity()} - 1
     * @param attachment the object, or {@code null}
     */
    public void attach(int position, Object attachment) {
        // A reference that is written costs the collector more than one that is read.
        if (attachments[position] != attachment) {
            attachments[position] = attachment;
        }
    }

    /**
     * The memory that a poll fills from its start.
     *
     * @return {@link #capacity()} times {@link #SIZE} bytes
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * The time stamps: 64 bits for each completion, in their order.
     *
     * @return {@link #capacity()} times 8 bytes
     */
    public MemorySegment timestamps() {
        return timestamps;
    }

    /**
     * The place in {@link #memory()} of the completion that the cursor is on.
     *
     * @return 0 to {@link #count()} - 1
     */
    public int position() {
        at(0);
        return index;
    }

    /**
     * Says how many a poll brought and sets the cursor before the first.
     *
     * @param filled 0 to {@link #capacity()}
     */
    public void filled(int filled) {
        count = filled;
        index = -1;
    }

    private long at(long field) {
        if (index < 0 || index >= count) {
            throw new IllegalStateException("the cursor is on no completion: call next() first, and look only while it returns true");
        }
        return base + field;
    }
}

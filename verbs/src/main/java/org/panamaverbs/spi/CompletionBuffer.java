package org.panamaverbs.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a program's cursor: a provider fills it from its start, and says by {@link #filled} how many completions there are. Its one
 * subclass is {@code org.panamaverbs.Completions}, which reads it.
 *
 * <p>The memory is an array of {@code struct ibv_wc}, in the machine's byte order:
 *
 * <pre>
 *  0 wr_id 64 | 8 status 32 | 12 opcode 32 | 16 vendor_err 32 | 20 byte_len 32
 * 24 imm_data or invalidated_rkey 32 | 28 qp_num 32 | 32 src_qp 32 | 36 wc_flags 32
 * 40 pkey_index 16 | 42 slid 16 | 44 sl 8 | 45 dlid_path_bits 8 | 46 padding 16
 * </pre>
 */
// Tested by CompletionsTest.
public final class CompletionBuffer {
    /** One completion, as {@code struct ibv_wc}. */
    public static final MemoryLayout LAYOUT = MemoryLayout.structLayout(ValueLayout.JAVA_LONG.withName("wr_id"),
            ValueLayout.JAVA_INT.withName("status"), ValueLayout.JAVA_INT.withName("opcode"), ValueLayout.JAVA_INT.withName("vendor_err"),
            ValueLayout.JAVA_INT.withName("byte_len"), ValueLayout.JAVA_INT.withName("imm_data"), ValueLayout.JAVA_INT.withName("qp_num"),
            ValueLayout.JAVA_INT.withName("src_qp"), ValueLayout.JAVA_INT.withName("wc_flags"),
            ValueLayout.JAVA_SHORT.withName("pkey_index"), ValueLayout.JAVA_SHORT.withName("slid"), ValueLayout.JAVA_BYTE.withName("sl"),
            ValueLayout.JAVA_BYTE.withName("dlid_path_bits"), MemoryLayout.paddingLayout(2)).withName("ibv_wc");

    /** The size of one, in bytes. */
    public static final long SIZE = 48;
    /** Offset of the request's number. */
    public static final long ID = 0;
    /** Offset of the status. */
    public static final long STATUS = 8;
    /** Offset of the opcode. A provider sets {@link #RECEIVED} in it, or not, on failure as well. */
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

    /** Bit of the opcode: the request was a receive. */
    public static final int RECEIVED = 1 << 7;
    /** Flag: a datagram came with a global routing header. */
    public static final int WITH_ROUTING_HEADER = 1;
    /** Flag: immediate data is valid. */
    public static final int WITH_IMMEDIATE = 2;
    /** Flag: the invalidated key is valid. */
    public static final int WITH_INVALIDATE = 8;
    /** Flag of ours: the 8 bytes of an Immediate Data message are valid. */
    public static final int WITH_IMMEDIATE_64 = 1 << 30;

    private MemorySegment memory;
    private final MemorySegment timestamps;
    private final @Nullable Object[] attachments;
    private final int capacity;
    private int count;
    private int position = -1;

    /**
     * Makes it empty.
     *
     * @param capacity the most completions that one poll brings
     */
    public CompletionBuffer(int capacity) {
        this.memory = MemorySegment.ofArray(new long[Math.toIntExact(SIZE / Long.BYTES * capacity)]);
        this.timestamps = MemorySegment.ofArray(new long[capacity]);
        this.attachments = new Object[capacity];
        this.capacity = capacity;
    }

    /**
     * How many the last poll brought.
     *
     * @return 0 to {@link #capacity()}
     */
    public int count() {
        return count;
    }

    /** {@return the most that one poll brings; 1 or more} */
    public int capacity() {
        return capacity;
    }

    /**
     * Says which object is attached to the queue pair of a completion; said for each completion of each poll.
     *
     * @param position   0 to {@link #capacity()} - 1
     * @param attachment the object, or {@code null}
     */
    public void attach(int position, @Nullable Object attachment) {
        // A reference that is written costs the collector more than one that is read.
        if (attachments[position] != attachment) {
            attachments[position] = attachment;
        }
    }

    /**
     * The object of a completion.
     *
     * @param position as for {@link #attach}
     * @return {@code null} if there is none
     */
    public @Nullable Object attached(int position) {
        return attachments[position];
    }

    /**
     * Makes the memory native, for a provider whose native code fills it. It stays as long as this object can be reached: a provider that
     * gives its address away holds the object meanwhile ({@link java.lang.ref.Reference#reachabilityFence}).
     */
    public void makeNative() {
        if (!memory.isNative()) {
            memory = Arena.ofAuto().allocate(memory.byteSize(), Long.BYTES);
        }
    }

    /**
     * The memory that a poll fills from its start: on the heap, or native after {@link #makeNative}.
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
     * The position of the program's cursor.
     *
     * @return -1 before the first completion, up to {@link #count()} behind the last one
     */
    public int position() {
        return position;
    }

    /**
     * Moves the program's cursor, which alone calls it.
     *
     * @param next -1 to {@link #count()}
     */
    public void move(int next) {
        position = next;
    }

    /**
     * Says how many a poll brought and sets the cursor before the first.
     *
     * @param filled 0 to {@link #capacity()}
     */
    public void filled(int filled) {
        count = filled;
        position = -1;
    }
}

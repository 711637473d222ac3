package org.panamaverbs;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Completions that a poll brought, and a cursor over them. Made once, filled by each {@link CompletionQueue#poll}; what it shows is valid
 * until the next one. It belongs to one thread at a time, and nothing here allocates.
 *
 * {@snippet :
 * Completions completions = Completions.allocate(arena, 16);
 * queue.poll(completions);
 * while (completions.next()) {
 *     if (!completions.isSuccess()) {
 *         throw new IllegalStateException("request " + completions.id() + ": " + completions.status().text());
 *     }
 * }
 * }
 *
 * The memory is an array of {@code struct ibv_wc}, in the machine's byte order:
 *
 * <pre>
 *  0 wr_id 64 | 8 status 32 | 12 opcode 32 | 16 vendor_err 32 | 20 byte_len 32
 * 24 imm_data or invalidated_rkey 32 | 28 qp_num 32 | 32 src_qp 32 | 36 wc_flags 32
 * 40 pkey_index 16 | 42 slid 16 | 44 sl 8 | 45 dlid_path_bits 8 | 46 padding 16
 * </pre>
 */
public final class Completions {
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

    private Completions(MemorySegment memory, MemorySegment timestamps, int capacity) {
        this.memory = memory;
        this.timestamps = timestamps;
        this.attachments = new Object[capacity];
        this.capacity = capacity;
    }

    /**
     * Makes one.
     *
     * @param allocator where its memory comes from
     * @param capacity  the most completions that one poll brings, 1 or more
     * @return an empty one
     */
    public static Completions allocate(SegmentAllocator allocator, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("completions need room for 1 or more, not " + capacity);
        }
        return new Completions(allocator.allocate(SIZE * capacity, 8), allocator.allocate((long) Long.BYTES * capacity, 8), capacity);
    }

    /**
     * Moves on to the next completion.
     *
     * @return {@code false} where there is none
     */
    public boolean next() {
        if (index + 1 >= count) {
            index = count;
            return false;
        }
        index++;
        base = index * SIZE;
        return true;
    }

    /**
     * How many completions of the last poll are unread. As long as there are any, the next poll is refused: nothing is lost by a program
     * that polls again too early.
     *
     * @return 0 to {@link #count()}
     */
    public int remaining() {
        return index >= count ? 0 : count - 1 - index;
    }

    /** Drops the completions that are unread. */
    public void clear() {
        index = count;
    }

    /**
     * How many the last poll brought.
     *
     * @return 0 to {@link #capacity()}
     */
    public int count() {
        return count;
    }

    /**
     * The most that one poll brings.
     *
     * @return 1 or more
     */
    public int capacity() {
        return capacity;
    }

    /**
     * The number that was given when the request was posted.
     *
     * @return any 64 bits
     */
    public long id() {
        return memory.get(ValueLayout.JAVA_LONG, at(ID));
    }

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} where {@link #status()} says what failed
     */
    public boolean isSuccess() {
        return memory.get(ValueLayout.JAVA_INT, at(STATUS)) == 0;
    }

    /**
     * How the request ended.
     *
     * @return never {@code null}
     */
    public CompletionStatus status() {
        return CompletionStatus.of(memory.get(ValueLayout.JAVA_INT, at(STATUS)));
    }

    /**
     * What completed.
     *
     * @return valid only on success
     */
    public CompletionOpcode opcode() {
        return CompletionOpcode.of(memory.get(ValueLayout.JAVA_INT, at(OPCODE)));
    }

    /**
     * The provider's own code for a failure.
     *
     * @return on soft-iwarp the Terminate's layer, type and code as {@code 0xLTCC}, 0 where there was none
     */
    public int vendorError() {
        return memory.get(ValueLayout.JAVA_INT, at(VENDOR_ERROR));
    }

    /**
     * How many bytes were received or read.
     *
     * @return valid only for receives and Reads that succeeded
     */
    public long byteLength() {
        return Integer.toUnsignedLong(memory.get(ValueLayout.JAVA_INT, at(BYTE_LENGTH)));
    }

    /**
     * Whether the message that was received invalidated a region of ours.
     *
     * @return {@code true} where {@link #invalidatedKey()} says which
     */
    public boolean hasInvalidatedKey() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_INVALIDATE) != 0;
    }

    /**
     * The key of the region that the peer invalidated.
     *
     * @return valid only where {@link #hasInvalidatedKey()}
     */
    public int invalidatedKey() {
        return memory.get(ValueLayout.JAVA_INT, at(IMMEDIATE));
    }

    /**
     * Whether the message that was received carried immediate data.
     *
     * @return {@code true} where {@link #immediate()} has it
     */
    public boolean hasImmediate() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE) != 0;
    }

    /**
     * The immediate data of the message that was received.
     *
     * @return what the peer gave, bit for bit; valid only where {@link #hasImmediate()}
     */
    public int immediate() {
        return memory.get(NETWORK_INT, at(IMMEDIATE));
    }

    /**
     * Whether an Immediate Data message was received.
     *
     * @return {@code true} if {@link #immediate64()} has its 8 bytes
     */
    public boolean hasImmediate64() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE_64) != 0;
    }

    /**
     * The 8 bytes of an Immediate Data message that was received ({@link SendVerbs#tryPostImmediate}).
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate64()}
     */
    public long immediate64() {
        return memory.get(NETWORK_LONG, at(IMMEDIATE_64));
    }

    /**
     * Whether a datagram came with a global routing header, which is then in the first bytes of the receive. On RoCE all do.
     *
     * @return {@code false} for what is not a datagram
     */
    public boolean hasRoutingHeader() {
        return (memory.get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_ROUTING_HEADER) != 0;
    }

    /**
     * Who sent a datagram.
     *
     * @return the {@link DatagramQueuePair#number()} of the sender; valid only for datagrams that were received
     */
    public int sourceQueuePairNumber() {
        return memory.get(ValueLayout.JAVA_INT, at(SOURCE_QUEUE_PAIR));
    }

    /**
     * When it completed, by the device's own clock.
     *
     * @return in the device's ticks; valid only where the completion queue was made with {@link CompletionQueueAttributes#timestamps()}
     */
    public long timestamp() {
        at(0);
        return timestamps.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    /**
     * The queue pair's number.
     *
     * @return as {@link QueuePair#number()}
     */
    public int queuePairNumber() {
        return memory.get(ValueLayout.JAVA_INT, at(QUEUE_PAIR));
    }

    /**
     * The object that the program attached to the queue pair ({@link QueuePairAttributes#withAttachment}).
     *
     * @return {@code null} if the queue pair has none
     */
    public Object attachment() {
        at(0);
        return attachments[index];
    }

    /**
     * For providers: says which object is attached to the queue pair of a completion; said for each completion of each poll.
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
     * For providers: the memory that a poll fills from its start.
     *
     * @return {@link #capacity()} times {@link #SIZE} bytes
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * For providers of time stamps: one of 64 bits for each completion, in their order.
     *
     * @return {@link #capacity()} times 8 bytes
     */
    public MemorySegment timestamps() {
        return timestamps;
    }

    /**
     * For providers: which completion of {@link #memory()} the cursor is on.
     *
     * @return 0 to {@link #count()} - 1
     */
    public int position() {
        at(0);
        return index;
    }

    /**
     * For providers: says how many a poll brought and sets the cursor before the first.
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

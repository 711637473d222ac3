package org.panamaverbs;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Completions that a poll brought, and a cursor over them. Made once, filled by each {@link CompletionQueue#poll}; its content is valid
 * until the next one. It belongs to one thread at a time, and nothing here allocates. What it inherits is for providers, but for
 * {@link #count} and {@link #capacity}.
 *
 * {@snippet :
 * Completions completions = Completions.allocate(16);
 * queue.poll(completions);
 * while (completions.next()) {
 *     if (!completions.isSuccess()) {
 *         throw new IllegalStateException("request " + completions.id() + ": " + completions.status().text());
 *     }
 * }
 * }
 */
public final class Completions extends CompletionBuffer {
    /** Immediate data lies there as it came from the wire. */
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    /** The completion that the cursor is on: its place, and where it begins in the memory. */
    private int index = -1;
    private long base;

    private Completions(int capacity) {
        super(capacity);
    }

    /**
     * Makes one, with memory of its own, 56 bytes for each completion; the garbage collector frees it.
     *
     * @param capacity the most completions that one poll brings, 1 or more
     * @return an empty one
     */
    public static Completions allocate(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("completions need room for 1 or more, not " + capacity);
        }
        return new Completions(capacity);
    }

    /**
     * Moves on to the next completion.
     *
     * @return {@code false} if there is none
     */
    public boolean next() {
        if (index + 1 >= count()) {
            index = count();
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
        return index >= count() ? 0 : count() - 1 - index;
    }

    /** Drops the completions that are unread. */
    public void clear() {
        index = count();
    }

    /**
     * The number that was given when the request was posted.
     *
     * @return any 64 bits
     */
    public long id() {
        return memory().get(ValueLayout.JAVA_LONG, at(ID));
    }

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} if {@link #status()} names the failure
     */
    public boolean isSuccess() {
        return memory().get(ValueLayout.JAVA_INT, at(STATUS)) == 0;
    }

    /**
     * How the request ended.
     *
     * @return never {@code null}
     */
    public CompletionStatus status() {
        return CompletionStatus.of(memory().get(ValueLayout.JAVA_INT, at(STATUS)));
    }

    /**
     * Whether the request was a receive. Valid on failure, too: so IDs need not say it.
     *
     * @return {@code false} for every other request
     */
    public boolean isReceive() {
        return (memory().get(ValueLayout.JAVA_INT, at(OPCODE)) & RECEIVED) != 0;
    }

    /**
     * The operation that completed.
     *
     * @return valid only on success
     */
    public CompletionOpcode opcode() {
        return CompletionOpcode.of(memory().get(ValueLayout.JAVA_INT, at(OPCODE)));
    }

    /**
     * The provider's own code for a failure.
     *
     * @return on soft-iwarp the Terminate's layer, type and code as {@code 0xLTCC}, 0 if there was none
     */
    public int vendorError() {
        return memory().get(ValueLayout.JAVA_INT, at(VENDOR_ERROR));
    }

    /**
     * How many bytes were received or read.
     *
     * @return valid only for receives and Reads that succeeded
     */
    public long byteLength() {
        return Integer.toUnsignedLong(memory().get(ValueLayout.JAVA_INT, at(BYTE_LENGTH)));
    }

    /**
     * Whether the message that was received invalidated a region of ours.
     *
     * @return {@code true} if {@link #invalidatedKey()} says which
     */
    public boolean hasInvalidatedKey() {
        return (memory().get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_INVALIDATE) != 0;
    }

    /**
     * The key of the region that the peer invalidated.
     *
     * @return valid only if {@link #hasInvalidatedKey()}
     */
    public int invalidatedKey() {
        return memory().get(ValueLayout.JAVA_INT, at(IMMEDIATE));
    }

    /**
     * Whether the message that was received carried immediate data.
     *
     * @return {@code true} if {@link #immediate()} has it
     */
    public boolean hasImmediate() {
        return (memory().get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE) != 0;
    }

    /**
     * The immediate data of the message that was received. For an Immediate Data message this is the first 32 of its 64 bits: on iWARP, a
     * Write with immediate data carries its 32 bits there, with zeros behind.
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate()}
     */
    public int immediate() {
        return memory().get(NETWORK_INT, at(IMMEDIATE));
    }

    /**
     * Whether an Immediate Data message was received.
     *
     * @return {@code true} if {@link #immediate64()} has its 8 bytes
     */
    public boolean hasImmediate64() {
        return (memory().get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_IMMEDIATE_64) != 0;
    }

    /**
     * The 8 bytes of an Immediate Data message that was received ({@link SendRequest#immediateMessage}).
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate64()}
     */
    public long immediate64() {
        return memory().get(NETWORK_LONG, at(IMMEDIATE_64));
    }

    /**
     * Whether a datagram came with a global routing header, which is then in the first bytes of the receive. On RoCE all do.
     *
     * @return {@code false} if it is not a datagram
     */
    public boolean hasRoutingHeader() {
        return (memory().get(ValueLayout.JAVA_INT, at(FLAGS)) & WITH_ROUTING_HEADER) != 0;
    }

    /**
     * The sender of a datagram.
     *
     * @return the {@link DatagramQueuePair#number()} of the sender; valid only for datagrams that were received
     */
    public int sourceQueuePairNumber() {
        return memory().get(ValueLayout.JAVA_INT, at(SOURCE_QUEUE_PAIR));
    }

    /**
     * When it completed, by the device's own clock.
     *
     * @return in ticks of {@link Device#completionClock()}; valid only if the completion queue was made with
     *         {@link CompletionQueueAttributes#timestamps()}
     */
    public long timestamp() {
        at(0);
        return timestamps().getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    /**
     * The queue pair's number.
     *
     * @return as {@link QueuePair#number()}
     */
    public int queuePairNumber() {
        return memory().get(ValueLayout.JAVA_INT, at(QUEUE_PAIR));
    }

    /**
     * The object that the program attached to the queue pair ({@link QueuePairAttributes#withAttachment}).
     *
     * @return {@code null} if the queue pair has none
     */
    public @Nullable Object attachment() {
        at(0);
        return attached(index);
    }

    /** Called by providers. */
    @Override
    public void filled(int filled) {
        super.filled(filled);
        index = -1;
    }

    @Override
    public int position() {
        at(0);
        return index;
    }

    private long at(long field) {
        if (index < 0 || index >= count()) {
            throw new IllegalStateException("the cursor is on no completion: call next() first, and look only while it returns true");
        }
        return base + field;
    }
}

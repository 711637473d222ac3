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
public final class Completions {
    /** Immediate data lies there as it came from the wire. */
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    /** The completions as providers write them, and where the cursor stands. */
    final CompletionBuffer buffer;
    /** The start of the cursor's completion in the memory. */
    private long base;

    private Completions(int capacity) {
        buffer = new CompletionBuffer(capacity);
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
        int next = buffer.position() + 1;
        if (next >= buffer.count()) {
            clear();
            return false;
        }
        buffer.move(next);
        base = next * CompletionBuffer.SIZE;
        return true;
    }

    /**
     * How many completions of the last poll are unread. As long as there are any, the next poll is refused: nothing is lost by a program
     * that polls again too early.
     *
     * @return 0 to {@link #count()}
     */
    public int remaining() {
        return Math.max(0, buffer.count() - 1 - buffer.position());
    }

    /** Drops the completions that are unread. */
    public void clear() {
        buffer.move(buffer.count());
    }

    /** {@return the number that was given when the request was posted; any 64 bits} */
    public long id() {
        return buffer.memory().get(ValueLayout.JAVA_LONG, at(CompletionBuffer.ID));
    }

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} if {@link #status()} names the failure
     */
    public boolean isSuccess() {
        return buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.STATUS)) == 0;
    }

    /**
     * How the request ended.
     *
     * @return never {@code null}
     */
    public CompletionStatus status() {
        return CompletionStatus.of(buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.STATUS)));
    }

    /**
     * Whether the request was a receive. Valid on failure, too: so IDs need not say it.
     *
     * @return {@code false} for every other request
     */
    public boolean isReceive() {
        return (buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.OPCODE)) & CompletionBuffer.RECEIVED) != 0;
    }

    /** {@return the operation that completed; valid only on success} */
    public CompletionOpcode opcode() {
        return CompletionOpcode.of(buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.OPCODE)));
    }

    /**
     * The provider's own code for a failure.
     *
     * @return on soft-iwarp the Terminate's layer, type and code as {@code 0xLTCC}, 0 if there was none
     */
    public int vendorError() {
        return buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.VENDOR_ERROR));
    }

    /** {@return how many bytes were received or read; valid only for receives and Reads that succeeded} */
    public long byteLength() {
        return Integer.toUnsignedLong(buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.BYTE_LENGTH)));
    }

    /**
     * Whether the message that was received invalidated a region of ours.
     *
     * @return {@code true} if {@link #invalidatedKey()} says which
     */
    public boolean hasInvalidatedKey() {
        return (buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.FLAGS)) & CompletionBuffer.WITH_INVALIDATE) != 0;
    }

    /**
     * The key of the region that the peer invalidated.
     *
     * @return valid only if {@link #hasInvalidatedKey()}
     */
    public int invalidatedKey() {
        return buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.IMMEDIATE));
    }

    /**
     * Whether the message that was received carried immediate data.
     *
     * @return {@code true} if {@link #immediate()} has it
     */
    public boolean hasImmediate() {
        return (buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.FLAGS)) & CompletionBuffer.WITH_IMMEDIATE) != 0;
    }

    /**
     * The immediate data of the message that was received. For an Immediate Data message this is the first 32 of its 64 bits: on iWARP, a
     * Write with immediate data carries its 32 bits there, with zeros behind.
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate()}
     */
    public int immediate() {
        return buffer.memory().get(NETWORK_INT, at(CompletionBuffer.IMMEDIATE));
    }

    /**
     * Whether an Immediate Data message was received.
     *
     * @return {@code true} if {@link #immediate64()} has its 8 bytes
     */
    public boolean hasImmediate64() {
        return (buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.FLAGS)) & CompletionBuffer.WITH_IMMEDIATE_64) != 0;
    }

    /**
     * The 8 bytes of an Immediate Data message that was received ({@link SendRequest#immediateMessage}).
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate64()}
     */
    public long immediate64() {
        return buffer.memory().get(NETWORK_LONG, at(CompletionBuffer.IMMEDIATE_64));
    }

    /**
     * Whether a datagram came with a global routing header, which is then in the first bytes of the receive. On RoCE all do.
     *
     * @return {@code false} if it is not a datagram
     */
    public boolean hasRoutingHeader() {
        return (buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.FLAGS)) & CompletionBuffer.WITH_ROUTING_HEADER) != 0;
    }

    /**
     * The sender of a datagram.
     *
     * @return the {@link DatagramQueuePair#number()} of the sender; valid only for datagrams that were received
     */
    public int sourceQueuePairNumber() {
        return buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.SOURCE_QUEUE_PAIR));
    }

    /**
     * When it completed, by the device's own clock.
     *
     * @return in ticks of {@link Device#completionClock()}; valid only if the completion queue was made with
     *         {@link CompletionQueueAttributes#timestamps()}
     */
    public long timestamp() {
        at(0);
        return buffer.timestamps().getAtIndex(ValueLayout.JAVA_LONG, buffer.position());
    }

    /**
     * The queue pair's number.
     *
     * @return as {@link QueuePair#number()}
     */
    public int queuePairNumber() {
        return buffer.memory().get(ValueLayout.JAVA_INT, at(CompletionBuffer.QUEUE_PAIR));
    }

    /**
     * The object that the program attached to the queue pair ({@link QueuePairAttributes#withAttachment}).
     *
     * @return {@code null} if the queue pair has none
     */
    public @Nullable Object attachment() {
        at(0);
        return buffer.attached(buffer.position());
    }

    /**
     * How many the last poll brought.
     *
     * @return 0 to {@link #capacity()}
     */
    public int count() {
        return buffer.count();
    }

    /** {@return the most that one poll brings; 1 or more} */
    public int capacity() {
        return buffer.capacity();
    }

    private long at(long field) {
        if (buffer.position() < 0 || buffer.position() >= buffer.count()) {
            throw new IllegalStateException("the cursor is on no completion: call next() first, and look only while it returns true");
        }
        return base + field;
    }
}

package org.panamaverbs;

import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Completions that a poll brought, and a cursor over them. Made once, filled by each {@link CompletionQueue#poll}; its content is valid
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
 */
public sealed interface Completions permits CompletionBuffer {
    /**
     * Makes one.
     *
     * @param allocator the source of its memory
     * @param capacity  the most completions that one poll brings, 1 or more
     * @return an empty one
     */
    static Completions allocate(SegmentAllocator allocator, int capacity) {
        return CompletionBuffer.allocate(allocator, capacity);
    }

    /**
     * Moves on to the next completion.
     *
     * @return {@code false} if there is none
     */
    boolean next();

    /**
     * How many completions of the last poll are unread. As long as there are any, the next poll is refused: nothing is lost by a program
     * that polls again too early.
     *
     * @return 0 to {@link #count()}
     */
    int remaining();

    /** Drops the completions that are unread. */
    void clear();

    /**
     * How many the last poll brought.
     *
     * @return 0 to {@link #capacity()}
     */
    int count();

    /**
     * The most that one poll brings.
     *
     * @return 1 or more
     */
    int capacity();

    /**
     * The number that was given when the request was posted.
     *
     * @return any 64 bits
     */
    long id();

    /**
     * Whether the request succeeded.
     *
     * @return {@code false} if {@link #status()} names the failure
     */
    boolean isSuccess();

    /**
     * How the request ended.
     *
     * @return never {@code null}
     */
    CompletionStatus status();

    /**
     * The operation that completed.
     *
     * @return valid only on success
     */
    CompletionOpcode opcode();

    /**
     * The provider's own code for a failure.
     *
     * @return on soft-iwarp the Terminate's layer, type and code as {@code 0xLTCC}, 0 if there was none
     */
    int vendorError();

    /**
     * How many bytes were received or read.
     *
     * @return valid only for receives and Reads that succeeded
     */
    long byteLength();

    /**
     * Whether the message that was received invalidated a region of ours.
     *
     * @return {@code true} if {@link #invalidatedKey()} says which
     */
    boolean hasInvalidatedKey();

    /**
     * The key of the region that the peer invalidated.
     *
     * @return valid only if {@link #hasInvalidatedKey()}
     */
    int invalidatedKey();

    /**
     * Whether the message that was received carried immediate data.
     *
     * @return {@code true} if {@link #immediate()} has it
     */
    boolean hasImmediate();

    /**
     * The immediate data of the message that was received. For an Immediate Data message this is the first 32 of its 64 bits: on iWARP, a
     * Write with immediate data carries its 32 bits there, with zeros behind.
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate()}
     */
    int immediate();

    /**
     * Whether an Immediate Data message was received.
     *
     * @return {@code true} if {@link #immediate64()} has its 8 bytes
     */
    boolean hasImmediate64();

    /**
     * The 8 bytes of an Immediate Data message that was received ({@link SendVerbs#tryPostImmediate}).
     *
     * @return the bits that the peer gave; valid only if {@link #hasImmediate64()}
     */
    long immediate64();

    /**
     * Whether a datagram came with a global routing header, which is then in the first bytes of the receive. On RoCE all do.
     *
     * @return {@code false} if it is not a datagram
     */
    boolean hasRoutingHeader();

    /**
     * The sender of a datagram.
     *
     * @return the {@link DatagramQueuePair#number()} of the sender; valid only for datagrams that were received
     */
    int sourceQueuePairNumber();

    /**
     * When it completed, by the device's own clock.
     *
     * @return in ticks of {@link Device#completionClock()}; valid only if the completion queue was made with
     *         {@link CompletionQueueAttributes#timestamps()}
     */
    long timestamp();

    /**
     * The queue pair's number.
     *
     * @return as {@link QueuePair#number()}
     */
    int queuePairNumber();

    /**
     * The object that the program attached to the queue pair ({@link QueuePairAttributes#withAttachment}).
     *
     * @return {@code null} if the queue pair has none
     */
    Object attachment();
}

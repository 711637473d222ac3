package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/**
 * The requests of a send queue that take a receive of the peer: Sends and Immediate Data messages. {@link QueuePair} has the rules for all
 * requests.
 */
// Tested by PostingContract, SendReceiveContract, ImmediateContract.
public interface SendVerbs {
    /**
     * Posts a Send: the message lands in the peer's next receive.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message is sent from
     * @param offset the start of the message, in bytes from the start of the region
     * @param length the length of the message in bytes, 0 or more
     * @param flags  all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSend(long id, MemoryRegion region, long offset, long length, int flags);

    /**
     * As {@link #tryPostSend(long, MemoryRegion, long, long, int)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message is sent from
     * @param offset the start of the message, in bytes from the start of the region
     * @param length the length of the message in bytes, 0 or more
     * @param flags  all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, MemoryRegion region, long offset, long length, int flags) {
        if (!tryPostSend(id, region, offset, length, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send; the memory is a part of a segment.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message is sent from
     * @param part   the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param flags  all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     */
    default boolean tryPostSend(long id, MemoryRegion region, MemorySegment part, int flags) {
        return tryPostSend(id, region, region.offsetOf(part), part.byteSize(), flags);
    }

    /**
     * As {@link #tryPostSend(long, MemoryRegion, MemorySegment, int)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message is sent from
     * @param part   the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param flags  all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, MemoryRegion region, MemorySegment part, int flags) {
        if (!tryPostSend(id, region, part, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send; the memory is a scatter-gather list.
     *
     * @param id    a number that the completion repeats; any 64 bits
     * @param list  the message: its parts in order, as many as the queue pair takes; may be empty
     * @param flags all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSend(long id, ScatterGatherList list, int flags);

    /**
     * As {@link #tryPostSend(long, ScatterGatherList, int)}, for a program that knows the queue has room.
     *
     * @param id    a number that the completion repeats; any 64 bits
     * @param list  the message: its parts in order, as many as the queue pair takes; may be empty
     * @param flags all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, ScatterGatherList list, int flags) {
        if (!tryPostSend(id, list, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send that also invalidates a key of the peer (RFC 5040, section 3.1, Send with Invalidate). The key is that of a memory
     * window of type 2, or of a region if the peer's device has {@link Capability#INVALIDATE_REGION}.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    boolean tryPostSendInvalidate(long id, MemoryRegion region, long offset, long length, int remoteKey, int flags);

    /**
     * As {@link #tryPostSendInvalidate(long, MemoryRegion, long, long, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    default void postSendInvalidate(long id, MemoryRegion region, long offset, long length, int remoteKey, int flags) {
        if (!tryPostSendInvalidate(id, region, offset, length, remoteKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with Invalidate; the memory is a part of a segment.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    default boolean tryPostSendInvalidate(long id, MemoryRegion region, MemorySegment part, int remoteKey, int flags) {
        return tryPostSendInvalidate(id, region, region.offsetOf(part), part.byteSize(), remoteKey, flags);
    }

    /**
     * As {@link #tryPostSendInvalidate(long, MemoryRegion, MemorySegment, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    default void postSendInvalidate(long id, MemoryRegion region, MemorySegment part, int remoteKey, int flags) {
        if (!tryPostSendInvalidate(id, region, part, remoteKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with Invalidate; the memory is a scatter-gather list.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    boolean tryPostSendInvalidate(long id, ScatterGatherList list, int remoteKey, int flags);

    /**
     * As {@link #tryPostSendInvalidate(long, ScatterGatherList, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remoteKey the peer's key to invalidate
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    default void postSendInvalidate(long id, ScatterGatherList list, int remoteKey, int flags) {
        if (!tryPostSendInvalidate(id, list, remoteKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with immediate data: the completion of the peer's receive carries 32 bits besides the message.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    boolean tryPostSendImmediate(long id, MemoryRegion region, long offset, long length, int immediate, int flags);

    /**
     * As {@link #tryPostSendImmediate(long, MemoryRegion, long, long, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default void postSendImmediate(long id, MemoryRegion region, long offset, long length, int immediate, int flags) {
        if (!tryPostSendImmediate(id, region, offset, length, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with immediate data; the memory is a part of a segment.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default boolean tryPostSendImmediate(long id, MemoryRegion region, MemorySegment part, int immediate, int flags) {
        return tryPostSendImmediate(id, region, region.offsetOf(part), part.byteSize(), immediate, flags);
    }

    /**
     * As {@link #tryPostSendImmediate(long, MemoryRegion, MemorySegment, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default void postSendImmediate(long id, MemoryRegion region, MemorySegment part, int immediate, int flags) {
        if (!tryPostSendImmediate(id, region, part, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with immediate data; the memory is a scatter-gather list.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    boolean tryPostSendImmediate(long id, ScatterGatherList list, int immediate, int flags);

    /**
     * As {@link #tryPostSendImmediate(long, ScatterGatherList, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param immediate 32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags     all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default void postSendImmediate(long id, ScatterGatherList list, int immediate, int flags) {
        if (!tryPostSendImmediate(id, list, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an Immediate Data message (RFC 7306, section 6): 8 bytes without any memory. It takes a receive of the peer, whose completion
     * carries the 8 bytes ({@link Completions#immediate64()}); the memory of the receive is not touched. If the message follows a Write,
     * the peer sees a Write with immediate data. No protocol tells whether the peer knows such messages, so programs must agree on them
     * (RFC 7306, 1.1).
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param immediate 64 bits for the peer, in no byte order
     * @param flags     all flags of {@link QueuePair} but INLINE
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_MESSAGE}
     */
    boolean tryPostImmediate(long id, long immediate, int flags);

    /**
     * As {@link #tryPostImmediate(long, long, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param immediate 64 bits for the peer, in no byte order
     * @param flags     all flags of {@link QueuePair} but INLINE
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_MESSAGE}
     */
    default void postImmediate(long id, long immediate, int flags) {
        if (!tryPostImmediate(id, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }
}

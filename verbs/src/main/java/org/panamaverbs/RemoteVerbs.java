package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/**
 * The requests of a send queue that name memory of the peer: Writes, Reads and atomics. {@link QueuePair} has the rules for all requests.
 */
// Tested by PostingContract, AtomicContract, WriteReadContract.
public interface RemoteVerbs {
    /**
     * Posts an RDMA Write: the message lands in the peer's memory, and the peer's program is not notified. For a message of 0 bytes the
     * peer checks neither key nor address.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param offset       the start of the message, in bytes from the start of the region
     * @param length       the length of the message in bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostWrite(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags);

    /**
     * As {@link #tryPostWrite(long, MemoryRegion, long, long, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param offset       the start of the message, in bytes from the start of the region
     * @param length       the length of the message in bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postWrite(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostWrite(id, region, offset, length, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Write; the memory is a part of a segment.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param part         the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @return {@code false} if the send queue is full: nothing was posted
     */
    default boolean tryPostWrite(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset, int flags) {
        return tryPostWrite(id, region, region.offsetOf(part), part.byteSize(), remote, remoteOffset, flags);
    }

    /**
     * As {@link #tryPostWrite(long, MemoryRegion, MemorySegment, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param part         the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postWrite(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostWrite(id, region, part, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Write; the memory is a scatter-gather list.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostWrite(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags);

    /**
     * As {@link #tryPostWrite(long, ScatterGatherList, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param flags        all flags of {@link QueuePair} but SOLICITED
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postWrite(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostWrite(id, list, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Write with immediate data. Once the message is in the peer's memory it takes a receive of the peer, and the completion
     * of that receive ({@link CompletionOpcode#RECEIVE_WRITE_WITH_IMMEDIATE}) carries 32 bits. The memory of the receive is not touched.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param offset       the start of the message, in bytes from the start of the region
     * @param length       the length of the message in bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    boolean tryPostWriteImmediate(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
            int immediate, int flags);

    /**
     * As {@link #tryPostWriteImmediate(long, MemoryRegion, long, long, RemoteMemory, long, int, int)}, for a program that knows the queue
     * has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param offset       the start of the message, in bytes from the start of the region
     * @param length       the length of the message in bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    default void postWriteImmediate(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
            int immediate, int flags) {
        if (!tryPostWriteImmediate(id, region, offset, length, remote, remoteOffset, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Write with immediate data; the memory is a part of a segment.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param part         the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    default boolean tryPostWriteImmediate(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset,
            int immediate, int flags) {
        return tryPostWriteImmediate(id, region, region.offsetOf(part), part.byteSize(), remote, remoteOffset, immediate, flags);
    }

    /**
     * As {@link #tryPostWriteImmediate(long, MemoryRegion, MemorySegment, RemoteMemory, long, int, int)}, for a program that knows the
     * queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the message is sent from
     * @param part         the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    default void postWriteImmediate(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset, int immediate,
            int flags) {
        if (!tryPostWriteImmediate(id, region, part, remote, remoteOffset, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Write with immediate data; the memory is a scatter-gather list.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    boolean tryPostWriteImmediate(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int immediate, int flags);

    /**
     * As {@link #tryPostWriteImmediate(long, ScatterGatherList, RemoteMemory, long, int, int)}, for a program that knows the queue has
     * room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the message: its parts in order, as many as the queue pair takes; may be empty
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the place that the message lands at, in bytes from the start of {@code remote}
     * @param immediate    32 bits for the peer, in no byte order: {@link Completions#immediate()} has them
     * @param flags        all flags of {@link QueuePair} are possible
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#WRITE_WITH_IMMEDIATE}
     */
    default void postWriteImmediate(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int immediate, int flags) {
        if (!tryPostWriteImmediate(id, list, remote, remoteOffset, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Read: bytes of the peer's memory land here, and the peer's program is not notified.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the bytes land in; needs {@link Access#LOCAL_WRITE}, and on iWARP hardware {@link
     *                     Access#REMOTE_WRITE} (see {@link Capability#READ_WITHOUT_REMOTE_WRITE})
     * @param offset       the place that the bytes land at, from the start of the region
     * @param length       the number of bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostRead(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags);

    /**
     * As {@link #tryPostRead(long, MemoryRegion, long, long, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the bytes land in; needs {@link Access#LOCAL_WRITE}, and on iWARP hardware {@link
     *                     Access#REMOTE_WRITE} (see {@link Capability#READ_WITHOUT_REMOTE_WRITE})
     * @param offset       the place that the bytes land at, from the start of the region
     * @param length       the number of bytes, 0 or more
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postRead(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostRead(id, region, offset, length, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Read; the memory is a part of a segment.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the bytes land in; needs {@link Access#LOCAL_WRITE}, and on iWARP hardware {@link
     *                     Access#REMOTE_WRITE} (see {@link Capability#READ_WITHOUT_REMOTE_WRITE})
     * @param part         the place that the bytes land at: a part of the region's {@link MemoryRegion#segment()}
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default boolean tryPostRead(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset, int flags) {
        return tryPostRead(id, region, region.offsetOf(part), part.byteSize(), remote, remoteOffset, flags);
    }

    /**
     * As {@link #tryPostRead(long, MemoryRegion, MemorySegment, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the bytes land in; needs {@link Access#LOCAL_WRITE}, and on iWARP hardware {@link
     *                     Access#REMOTE_WRITE} (see {@link Capability#READ_WITHOUT_REMOTE_WRITE})
     * @param part         the place that the bytes land at: a part of the region's {@link MemoryRegion#segment()}
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postRead(long id, MemoryRegion region, MemorySegment part, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostRead(id, region, part, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an RDMA Read; the memory is a scatter-gather list.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the place that the bytes land at, part after part; more than one part needs {@link Capability#READ_SCATTER}
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostRead(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags);

    /**
     * As {@link #tryPostRead(long, ScatterGatherList, RemoteMemory, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param list         the place that the bytes land at, part after part; more than one part needs {@link Capability#READ_SCATTER}
     * @param remote       the peer's memory, as the peer advertised it
     * @param remoteOffset the start of the bytes to read, from the start of {@code remote}
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postRead(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags) {
        if (!tryPostRead(id, list, remote, remoteOffset, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an atomic compare-and-swap of 8 bytes of the peer's memory, taken as a number in the byte order of the peer's machine. If they
     * equal {@code expected}, they become {@code replacement}. The previous value lands here.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param expected     the value to compare with
     * @param replacement  the value to store
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long expected,
            long replacement, int flags);

    /**
     * As {@link #tryPostCompareAndSwap(long, MemoryRegion, long, RemoteMemory, long, long, long, int)}, for a program that knows the queue
     * has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param expected     the value to compare with
     * @param replacement  the value to store
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long expected,
            long replacement, int flags) {
        if (!tryPostCompareAndSwap(id, region, offset, remote, remoteOffset, expected, replacement, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a compare-and-swap of chosen bits (RFC 7306, section 5.1.2). If the bits of {@code compareMask} equal those of {@code
     * expected}, the bits of {@code swapMask} become those of {@code replacement}; all others stay. With a {@code compareMask} of 0 it
     * swaps always. The previous value lands here.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param expected     the value to compare with
     * @param replacement  the value to store
     * @param compareMask  the bits to compare; -1 for all
     * @param swapMask     the bits to store; -1 for all
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MASKED_ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostMaskedCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long expected,
            long replacement, long compareMask, long swapMask, int flags);

    /**
     * As {@link #tryPostMaskedCompareAndSwap(long, MemoryRegion, long, RemoteMemory, long, long, long, long, long, int)}, for a program
     * that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param expected     the value to compare with
     * @param replacement  the value to store
     * @param compareMask  the bits to compare; -1 for all
     * @param swapMask     the bits to store; -1 for all
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MASKED_ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postMaskedCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long expected,
            long replacement, long compareMask, long swapMask, int flags) {
        if (!tryPostMaskedCompareAndSwap(id, region, offset, remote, remoteOffset, expected, replacement, compareMask, swapMask, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an atomic addition to 8 bytes of the peer's memory, taken as a number in the byte order of the peer's machine. The previous
     * value lands here.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param summand      the number to add, modulo 2 to the power of 64
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long summand, int flags);

    /**
     * As {@link #tryPostFetchAndAdd(long, MemoryRegion, long, RemoteMemory, long, long, int)}, for a program that knows the queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param summand      the number to add, modulo 2 to the power of 64
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long summand,
            int flags) {
        if (!tryPostFetchAndAdd(id, region, offset, remote, remoteOffset, summand, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts an atomic addition to fields of 8 bytes of the peer's memory (RFC 7306, section 5.1.1). Each bit set in {@code boundaries} is
     * the most significant bit of a field: no carry leaves the field. The previous value lands here.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param summand      the numbers to add, each in its field
     * @param boundaries   the most significant bit of each field; 0 for one field of 64 bits
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MASKED_ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    boolean tryPostMaskedFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long summand,
            long boundaries, int flags);

    /**
     * As {@link #tryPostMaskedFetchAndAdd(long, MemoryRegion, long, RemoteMemory, long, long, long, int)}, for a program that knows the
     * queue has room.
     *
     * @param id           a number that the completion repeats; any 64 bits
     * @param region       the region that the previous value lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset       the place that the previous value lands at: 8 bytes, from the start of the region
     * @param remote       the peer's memory; its region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteOffset the start of the 8 bytes, from the start of {@code remote}; their address is a multiple of 8
     * @param summand      the numbers to add, each in its field
     * @param boundaries   the most significant bit of each field; 0 for one field of 64 bits
     * @param flags        {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MASKED_ATOMIC}
     * @throws IllegalStateException if the connection was negotiated with an ORD of 0
     */
    default void postMaskedFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset, long summand,
            long boundaries, int flags) {
        if (!tryPostMaskedFetchAndAdd(id, region, offset, remote, remoteOffset, summand, boundaries, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }
}

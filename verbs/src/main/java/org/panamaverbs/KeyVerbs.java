package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/**
 * The requests of a send queue that make keys of this side valid or invalid; nothing is sent. {@link QueuePair} has the rules for all
 * requests.
 */
public interface KeyVerbs {
    /**
     * Posts the binding of a memory window to a part of a region. Once it has completed, the peer may use that part with the window's new
     * {@link MemoryWindow#remoteKey()}, which is known when this method returns. Binding a window of type 1 again replaces the part, and a
     * length of 0 unbinds the window. A window of type 2 is invalidated before it is bound again.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param window a window of the same protection domain
     * @param region registered with {@link Access#BIND_MEMORY_WINDOW}, and with {@link Access#LOCAL_WRITE} if the peer may write
     * @param offset the start of the window, in bytes from the start of the region
     * @param length the length of the window in bytes
     * @param access the peer's rights, as {@link Access#bits}: {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ}, {@link
     *               Access#REMOTE_ATOMIC}
     * @param flags  {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     */
    boolean tryPostBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags);

    /**
     * As {@link #tryPostBind(long, MemoryWindow, MemoryRegion, long, long, int, int)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param window a window of the same protection domain
     * @param region registered with {@link Access#BIND_MEMORY_WINDOW}, and with {@link Access#LOCAL_WRITE} if the peer may write
     * @param offset the start of the window, in bytes from the start of the region
     * @param length the length of the window in bytes
     * @param access the peer's rights, as {@link Access#bits}: {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ}, {@link
     *               Access#REMOTE_ATOMIC}
     * @param flags  {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     */
    default void postBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        if (!tryPostBind(id, window, region, offset, length, access, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts the binding of a memory window; the memory is a part of a segment.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param window a window of the same protection domain
     * @param region registered with {@link Access#BIND_MEMORY_WINDOW}, and with {@link Access#LOCAL_WRITE} if the peer may write
     * @param part   the memory that the window opens: a part of the region's {@link MemoryRegion#segment()}
     * @param access the peer's rights, as {@link Access#bits}: {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ}, {@link
     *               Access#REMOTE_ATOMIC}
     * @param flags  {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     */
    default boolean tryPostBind(long id, MemoryWindow window, MemoryRegion region, MemorySegment part, int access, int flags) {
        return tryPostBind(id, window, region, region.offsetOf(part), part.byteSize(), access, flags);
    }

    /**
     * As {@link #tryPostBind(long, MemoryWindow, MemoryRegion, MemorySegment, int, int)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param window a window of the same protection domain
     * @param region registered with {@link Access#BIND_MEMORY_WINDOW}, and with {@link Access#LOCAL_WRITE} if the peer may write
     * @param part   the memory that the window opens: a part of the region's {@link MemoryRegion#segment()}
     * @param access the peer's rights, as {@link Access#bits}: {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ}, {@link
     *               Access#REMOTE_ATOMIC}
     * @param flags  {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     */
    default void postBind(long id, MemoryWindow window, MemoryRegion region, MemorySegment part, int access, int flags) {
        if (!tryPostBind(id, window, region, part, access, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts that a key of this side is no longer valid: that of a memory window of type 2, or of a region if the device has {@link
     * Capability#INVALIDATE_REGION}. The region is closed as ever afterwards.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param remoteKey {@link MemoryWindow#remoteKey()} or {@link MemoryRegion#remoteKey()}
     * @param flags     {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#LOCAL_INVALIDATE}
     */
    boolean tryPostLocalInvalidate(long id, int remoteKey, int flags);

    /**
     * As {@link #tryPostLocalInvalidate(long, int, int)}, for a program that knows the queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param remoteKey {@link MemoryWindow#remoteKey()} or {@link MemoryRegion#remoteKey()}
     * @param flags     {@link QueuePair#FENCE}, {@link QueuePair#SIGNALED}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     * @throws UnsupportedVerbException without {@link Capability#LOCAL_INVALIDATE}
     */
    default void postLocalInvalidate(long id, int remoteKey, int flags) {
        if (!tryPostLocalInvalidate(id, remoteKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }
}

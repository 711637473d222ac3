package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/**
 * A queue that receives are posted to: that of a queue pair, or one that several queue pairs share. Posting never waits; {@link QueuePair}
 * has the rules for memory and errors.
 */
public interface ReceiveQueue {
    /**
     * Posts a receive: the next message that finds no earlier receive lands in it.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset the start of the buffer, in bytes from the start of the region
     * @param length the length of the buffer in bytes, 0 or more; every device takes 2 GiB - 1 bytes, and may refuse more if no message is
     *               so long
     * @return {@code false} if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    boolean tryPostReceive(long id, MemoryRegion region, long offset, long length);

    /**
     * As {@link #tryPostReceive(long, MemoryRegion, long, long)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message lands in; needs {@link Access#LOCAL_WRITE}
     * @param offset the start of the buffer, in bytes from the start of the region
     * @param length the length of the buffer in bytes, 0 or more; every device takes 2 GiB - 1 bytes, and may refuse more if no message is
     *               so long
     * @throws QueueFullException if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    default void postReceive(long id, MemoryRegion region, long offset, long length) {
        if (!tryPostReceive(id, region, offset, length)) {
            throw QueueFullException.ofReceives(this, 0);
        }
    }

    /**
     * Posts a receive; the memory is a part of a segment.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message lands in; needs {@link Access#LOCAL_WRITE}
     * @param part   the buffer: a part of the region's {@link MemoryRegion#segment()}
     * @return {@code false} if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    default boolean tryPostReceive(long id, MemoryRegion region, MemorySegment part) {
        return tryPostReceive(id, region, region.offsetOf(part), part.byteSize());
    }

    /**
     * As {@link #tryPostReceive(long, MemoryRegion, MemorySegment)}, for a program that knows the queue has room.
     *
     * @param id     a number that the completion repeats; any 64 bits
     * @param region the region that the message lands in; needs {@link Access#LOCAL_WRITE}
     * @param part   the buffer: a part of the region's {@link MemoryRegion#segment()}
     * @throws QueueFullException if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    default void postReceive(long id, MemoryRegion region, MemorySegment part) {
        if (!tryPostReceive(id, region, part)) {
            throw QueueFullException.ofReceives(this, 0);
        }
    }

    /**
     * Posts a receive; the memory is a scatter-gather list.
     *
     * @param id   a number that the completion repeats; any 64 bits
     * @param list the buffer, part after part; may be empty
     * @return {@code false} if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    boolean tryPostReceive(long id, ScatterGatherList list);

    /**
     * As {@link #tryPostReceive(long, ScatterGatherList)}, for a program that knows the queue has room.
     *
     * @param id   a number that the completion repeats; any 64 bits
     * @param list the buffer, part after part; may be empty
     * @throws QueueFullException if the queue is full: nothing was posted
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    default void postReceive(long id, ScatterGatherList list) {
        if (!tryPostReceive(id, list)) {
            throw QueueFullException.ofReceives(this, 0);
        }
    }

    /**
     * Posts several receives at once, which costs one doorbell: element {@code i} of the list is a receive of its own, with the number
     * {@code ids[i]}.
     *
     * @param ids  a number for each element, which its completion repeats; numbers beyond the elements do not count
     * @param list the buffers; each needs {@link Access#LOCAL_WRITE}
     * @return the number of receives that were posted, from the first on; fewer than the elements if the queue is full
     * @throws IllegalArgumentException if there are fewer numbers than elements; nothing was posted
     */
    int tryPostReceives(long[] ids, ScatterGatherList list);

    /**
     * As {@link #tryPostReceives(long[], ScatterGatherList)}, for a program that knows the queue has room.
     *
     * @param ids  a number for each element, which its completion repeats; numbers beyond the elements do not count
     * @param list the buffers; each needs {@link Access#LOCAL_WRITE}
     * @throws QueueFullException       if the queue has no room for all; {@link QueueFullException#posted()} says how many were posted
     * @throws IllegalArgumentException if there are fewer numbers than elements; nothing was posted
     */
    default void postReceives(long[] ids, ScatterGatherList list) {
        int posted = tryPostReceives(ids, list);
        if (posted < list.size()) {
            throw QueueFullException.ofReceives(this, posted);
        }
    }
}

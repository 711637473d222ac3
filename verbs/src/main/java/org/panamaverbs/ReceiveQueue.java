package org.panamaverbs;

/** Where receives are posted: a queue pair, or a queue that several of them share. */
public interface ReceiveQueue {
    /**
     * Posts a receive: the next message that finds no earlier receive lands there.
     *
     * @param id     what the completion repeats
     * @param region needs {@link Access#LOCAL_WRITE}
     * @param offset where the buffer starts, from the region's start
     * @param length how long it is; every device takes 2 GiB - 1 bytes, and may refuse more if no message is so long
     * @return {@code false} where the queue is full
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    boolean postReceive(long id, MemoryRegion region, long offset, long length);

    /**
     * Posts a receive into several parts.
     *
     * @param id   what the completion repeats
     * @param list the parts; may be empty. All together are as long as one part may be.
     * @return {@code false} where the queue is full
     * @throws IllegalArgumentException if the device takes no receive of that length
     */
    boolean postReceive(long id, ScatterGatherList list);
}

package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.WorkRequest;

/**
 * A request for a receive queue ({@code ibv_recv_wr}), described part by part: the memory that a message lands in. A program makes an object
 * once and describes one request after the other in it:
 *
 * <pre>{@code
 * ReceiveRequest request = new ReceiveRequest();
 * for (int i = 0; i < 16; i++) {
 *     queuePair.post(request.receive(i).local(region, i * 4096L, 4096).more(i < 15));
 * }
 * }</pre>
 *
 * <p>{@link #receive} begins a request; nothing of the one before counts any more. All other methods add parts to the request that was begun, in
 * any order. Each request has a number of any 64 bits, which its completion repeats.
 *
 * <p>Posting copies the description, so the object may describe the next request at once, and the same description may be posted again, to
 * the same or to another queue. The object belongs to one thread at a time. Describing and posting allocate nothing, once the object has
 * had as many elements of memory as it ever gets.
 */
// Tested by SendReceiveContract, PostingContract.
public final class ReceiveRequest {
    /** The request as providers read it. */
    final ReceiveWorkRequest work = new ReceiveWorkRequest();

    /** Makes one that describes nothing yet. */
    public ReceiveRequest() {
        // Nothing to do.
    }

    /**
     * Begins a receive: the next message that finds no earlier receive lands in the memory of {@link #local}. Without {@code local} it takes a
     * message of no bytes.
     *
     * @param id a number that the completion repeats
     * @return this
     */
    public ReceiveRequest receive(long id) {
        work.receive(id);
        return this;
    }

    /**
     * Appends memory. The message fills the elements in their order. A queue takes {@link QueuePairAttributes#receiveElements()} elements. Every
     * device takes 2 GiB - 1 bytes in all, and may refuse more if no message is so long.
     *
     * @param region a region of the queue's domain; needs {@link Access#LOCAL_WRITE}
     * @param offset the start of the memory, in bytes from the start of the region
     * @param length its length in bytes, 0 or more
     * @return this
     * @throws IndexOutOfBoundsException if the memory is not within the region
     */
    public ReceiveRequest local(MemoryRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        work.element(region, offset, length);
        return this;
    }

    /**
     * Appends memory, named by a segment.
     *
     * @param region a region of the queue's domain; needs {@link Access#LOCAL_WRITE}
     * @param part   a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @return this
     * @throws IllegalArgumentException if the part is not within the region's segment
     */
    public ReceiveRequest local(MemoryRegion region, MemorySegment part) {
        work.element(region, region.offsetOf(part), part.byteSize());
        return this;
    }

    /**
     * Appends the elements of a list; the list may change afterwards.
     *
     * @param list memory of regions with {@link Access#LOCAL_WRITE}; may be empty
     * @return this
     */
    public ReceiveRequest local(ScatterGatherList list) {
        for (int i = 0; i < list.size(); i++) {
            work.element(list.region(i), list.offset(i), list.length(i));
        }
        return this;
    }

    /**
     * Another receive follows at once: the doorbell waits for it. {@link ReceiveQueue#ringDoorbell} starts what waits if none follows.
     *
     * @return this
     */
    public ReceiveRequest more() {
        work.flag(WorkRequest.MORE);
        return this;
    }

    /**
     * As {@link #more()}, or nothing.
     *
     * @param wanted whether another receive follows at once
     * @return this
     */
    public ReceiveRequest more(boolean wanted) {
        return wanted ? more() : this;
    }
}

package org.panamaverbs.softiwarp.ddp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The layer above DDP, as DDP uses it to receive: it gives the buffers that DDP places data into, and takes delivery of messages. Methods
 * that can fail return one of {@link org.panamaverbs.softiwarp.wire.TerminateCode}, {@code NONE} for success. {@code ulp} is the byte that
 * DDP carries for the layer. Only the receiving thread calls it.
 */
public interface UpperLayer {
    /**
     * Whether local state alone decides the place of a tagged segment, as for the sink of a Read, and not the STag and offset in its
     * header.
     */
    boolean hasLocalPlace(int ulp);

    /**
     * Whether the buffers of a queue belong to this stream alone. If streams share them, a segment takes one only after its checksum is
     * verified.
     *
     * @param queue a valid queue number
     */
    boolean ownsBuffers(int queue);

    /**
     * Places the short payload of a tagged segment that has come whole. The layer need not take any segment: {@link #onTagged} takes those
     * that it leaves, and finds their errors. The layer may keep the memory entered for the next segment, until {@link #endRun}.
     *
     * @param source has the payload at the offset {@code at}
     * @return {@code false} if nothing is placed and nothing has changed; else {@link #deliverTagged} comes next
     */
    default boolean placeTagged(int ulp, int stag, long offset, MemorySegment source, long at, int length) {
        return false;
    }

    /** Ends a run of {@link #placeTagged}: exits the memory before a step that may take long, or another call of this layer. */
    default void endRun() {
        // A layer that keeps no memory entered has nothing to do.
    }

    /**
     * Takes a buffer and places the short payload of an untagged message that has come whole, in one segment. The layer need not take any
     * message: {@link #onUntagged} takes those that it leaves, and finds their errors.
     *
     * @param queue  a valid queue number
     * @param source has the payload at the offset {@code at}
     * @return {@code false} if nothing is placed and nothing has changed; else {@link #deliverUntagged} comes next
     */
    default boolean placeUntagged(int queue, int ulp, MemorySegment source, long at, int length) {
        return false;
    }

    /**
     * A segment for a tagged buffer has come.
     *
     * @param last   whether it is the last of its message
     * @param stag   the STag; without meaning if the length is 0
     * @param offset the Tagged Offset, unsigned; without meaning if the length is 0
     * @param length bytes of payload
     * @param target empty; the layer has it wrap exactly {@code length} bytes
     * @return the error
     */
    int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target);

    /**
     * Whether an untagged message without payload takes no buffer. Asked before {@link #onUntagged}, which is then not called.
     *
     * @param queue a valid queue number
     */
    default boolean needsNoBuffer(int queue, int ulp) {
        return false;
    }

    /**
     * The first segment of a message for an untagged buffer has come.
     *
     * @param queue  a valid queue number
     * @param target empty; the layer has it wrap the whole buffer
     * @return the error
     */
    int onUntagged(int queue, int ulp, SgeCursor target);

    /**
     * A later segment of an untagged message has another ULP byte than the first. RFC 5041, 4.3 forbids that and defines no error for it.
     *
     * @return the error
     */
    int onChanged(int ulp);

    /**
     * A message is longer than its buffer; the stream ends with that error.
     *
     * @param queue the queue number of the message
     */
    void onTooLong(int queue);

    /**
     * A tagged segment is in place, and so is everything before it.
     *
     * @return the error
     */
    int deliverTagged(int ulp, boolean last, int length);

    /**
     * An untagged message is whole, and everything before it is in place.
     *
     * @param word   the 32 bits that DDP carries for the layer
     * @param length bytes of the message
     * @return the error
     */
    int deliverUntagged(int queue, int ulp, int word, long length);

    /**
     * The memory of the tagged segment under way can no longer be used.
     *
     * @return the error to terminate with
     */
    int onBadTaggedMemory(int ulp);

    /**
     * The memory of the untagged message under way can no longer be used.
     *
     * @return the error to terminate with
     */
    int onBadUntaggedMemory(int queue);
}

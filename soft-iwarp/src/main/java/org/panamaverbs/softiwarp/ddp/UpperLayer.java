package org.panamaverbs.softiwarp.ddp;

import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * What DDP asks of the layer above: buffers to place into, and to take delivery of messages. Errors are those of
 * {@link org.panamaverbs.softiwarp.wire.TerminateCode}, its {@code NONE} included. {@code ulp} is the byte that DDP carries for the layer.
 * Calls come from the thread that receives.
 */
public interface UpperLayer {
    /**
     * Whether the place of a tagged segment follows from local state alone, as the sink of a Read does, and not from the STag and offset in
     * its header.
     */
    boolean hasLocalPlace(int ulp);

    /**
     * Whether the buffers of a queue belong to this stream alone. The layer takes a buffer that streams share only for a segment whose
     * checksum is right.
     *
     * @param queue a valid queue number
     */
    boolean ownsBuffers(int queue);

    /**
     * A segment for a tagged buffer came.
     *
     * @param last   whether it is its message's last
     * @param stag   meaningless if the length is 0
     * @param offset the Tagged Offset, unsigned; meaningless if the length is 0
     * @param length bytes of payload
     * @param target empty; is to wrap exactly {@code length} bytes
     * @return the error, or none
     */
    int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target);

    /**
     * The first segment of a message for an untagged buffer came.
     *
     * @param queue  a valid queue number
     * @param target empty; is to wrap the whole buffer
     * @return the error, or none
     */
    int onUntagged(int queue, int ulp, SgeCursor target);

    /**
     * A further segment of a message for an untagged buffer came with another ULP byte than the first (RFC 5041, 4.3 forbids it, and has
     * no error for it).
     *
     * @return the error
     */
    int onChanged(int ulp);

    /**
     * A message is longer than its buffer, and the stream ends for that.
     *
     * @param queue its queue number
     */
    void onTooLong(int queue);

    /**
     * A tagged segment is in place, and so is all before it.
     *
     * @return the error, or none
     */
    int deliverTagged(int ulp, boolean last, int length);

    /**
     * An untagged message is whole, and all before it is in place.
     *
     * @param word   the 32 bits that DDP carries for the layer
     * @param length bytes of the message
     * @return the error, or none
     */
    int deliverUntagged(int queue, int ulp, int word, long length);

    /**
     * The memory of the tagged segment under way cannot be used any more.
     *
     * @return the error to terminate with
     */
    int onBadTaggedMemory(int ulp);

    /**
     * The memory of the untagged message under way cannot be used any more.
     *
     * @return the error to terminate with
     */
    int onBadUntaggedMemory(int queue);
}

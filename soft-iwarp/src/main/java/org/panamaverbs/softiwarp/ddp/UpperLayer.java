package org.panamaverbs.softiwarp.ddp;

import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * What DDP asks of the layer above: buffers to place into, and to take delivery. Errors are those of
 * {@link org.panamaverbs.softiwarp.wire.TerminateCode}, its {@code NONE} included. {@code ulp} is the byte that DDP carries for the layer.
 */
public interface UpperLayer {
    /**
     * A segment for a tagged buffer came.
     *
     * @param last   whether it is its message's last
     * @param stag   meaningless where the length is 0
     * @param offset the Tagged Offset, unsigned; meaningless where the length is 0
     * @param length bytes of payload
     * @param target empty; gets exactly {@code length} bytes of memory
     * @return the error, or none
     */
    int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target);

    /**
     * The first segment of a message for an untagged buffer came.
     *
     * @param queue  a valid queue number
     * @param target empty; gets the whole buffer
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
     * A message is longer than the buffer that was given for it.
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
     * @param length the message's
     * @return the error, or none
     */
    int deliverUntagged(int queue, int ulp, int word, long length);
}

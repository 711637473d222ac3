package org.panamaverbs.softiwarp.ddp;

/** How a message is cut into segments (RFC 5041, 5.2). */
public final class Segmentation {
    private Segmentation() {
    }

    /**
     * The payload of the next segment.
     *
     * @param remaining  bytes of the message not yet sent; 0 makes one empty segment
     * @param mulpdu     the longest segment that the layer below takes, header included
     * @param headerSize of the segment
     * @return bytes
     */
    public static int payload(long remaining, int mulpdu, int headerSize) {
        return (int) Math.min(remaining, mulpdu - headerSize);
    }
}

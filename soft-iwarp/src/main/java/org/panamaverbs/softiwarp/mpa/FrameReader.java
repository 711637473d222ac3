package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * Takes in a Request or Reply, at any chopping. It never asks for a byte beyond the frame: those belong to the stream that follows.
 */
public final class FrameReader {
    /** The room that a frame needs. */
    public static final int CAPACITY = MpaStart.SIZE + MpaStart.MAXIMUM_PRIVATE_DATA;
    private static final int SHOWN = 32;

    private final MemorySegment frame;
    private final boolean request;
    private int filled;

    /**
     * Makes one that waits for the first byte.
     *
     * @param frame   native memory of {@link #CAPACITY} bytes
     * @param request whether a Request is expected, or a Reply
     */
    public FrameReader(MemorySegment frame, boolean request) {
        this.frame = frame;
        this.request = request;
    }

    /** The memory that bytes go to. */
    public MemorySegment frame() {
        return frame;
    }

    /** How many bytes have come. */
    public int filled() {
        return filled;
    }

    /** How many bytes are still missing, as far as is known; 0 where the frame is whole. */
    public int missing() {
        int size = filled < MpaStart.SIZE ? MpaStart.SIZE : MpaStart.SIZE + MpaStart.privateLength(frame, 0);
        return size - filled;
    }

    /**
     * Bytes came.
     *
     * @param count up to {@link #missing()}
     * @throws NotMpaException where this is something else, as soon as that shows
     */
    public void onReceived(int count) throws NotMpaException {
        filled += count;
        if (MpaStart.matches(frame, 0, Math.min(filled, MpaStart.KEY_SIZE), request) < Math.min(filled, MpaStart.KEY_SIZE)) {
            throw new NotMpaException("not an MPA peer: it " + (request ? "began" : "answered") + " with " + shown() + ", not \""
                    + new String(MpaStart.key(request), StandardCharsets.US_ASCII) + "\"");
        }
        if (filled >= MpaStart.SIZE && MpaStart.privateLength(frame, 0) > MpaStart.MAXIMUM_PRIVATE_DATA) {
            throw new NotMpaException("invalid MPA frame: " + MpaStart.privateLength(frame, 0) + " bytes of private data; at most "
                    + MpaStart.MAXIMUM_PRIVATE_DATA + " are allowed");
        }
    }

    /** The first bytes, for a message: as text where they are printable, and in hexadecimal. */
    String shown() {
        StringBuilder text = new StringBuilder("\"");
        StringBuilder numbers = new StringBuilder();
        for (int i = 0; i < Math.min(filled, SHOWN); i++) {
            int value = Byte.toUnsignedInt(frame.get(ValueLayout.JAVA_BYTE, i));
            text.append(value >= ' ' && value < 0x7F && value != '"' && value != '\\' ? (char) value : '.');
            numbers.append(i == 0 ? "" : " ").append("%02x".formatted(value));
        }
        return text.append("\" (").append(numbers).append(')').toString();
    }

    /** The private data, without what stands before it in an enhanced frame. */
    byte[] privateData(int skip) {
        int length = MpaStart.privateLength(frame, 0);
        if (length < skip) {
            return new byte[0];
        }
        return frame.asSlice(MpaStart.SIZE + skip, length - skip).toArray(ValueLayout.JAVA_BYTE);
    }
}

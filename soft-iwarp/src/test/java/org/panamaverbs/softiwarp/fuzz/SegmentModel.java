package org.panamaverbs.softiwarp.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * A model of DDP's treatment of segments, by the text of RFC 5041 (5.2, 5.3 and 7) and without the classes under test, for a layer above with one
 * tagged buffer, a local sink and untagged buffers ({@link ModelledLayer}).
 */
final class SegmentModel {
    static final int QUEUES = 3;
    /** The length of an untagged buffer in bytes. */
    static final int BUFFER = 6000;
    /** The length of the tagged buffer in bytes. Its Tagged Offsets begin at {@link #BASE}. */
    static final int REGION = 12_000;
    static final int STAG = 0x0100_0305;
    static final long BASE = 0x7000_0000_0000_0000L;
    /** The ULP byte whose tagged segments go to the sink: its place follows from local state. */
    static final int SINK_ULP = 0x42;
    static final int SINK = 5000;
    private static final int TAGGED_SIZE = 14;
    private static final int UNTAGGED_SIZE = 18;

    final List<String> delivered = new ArrayList<>();
    final byte[] region = new byte[REGION];
    final byte[] sink = new byte[SINK];
    final int[] msn = new int[QUEUES];
    final int[] offset = new int[QUEUES];
    private final boolean[] underWay = new boolean[QUEUES];
    private final int[] ulps = new int[QUEUES];
    private final byte[][] buffers = new byte[QUEUES][BUFFER];
    int sunk;
    /** Whether a message for an address of the peer's choice is under way, and where it goes on. */
    boolean continues;
    int nextStag;
    long nextOffset;
    int segments;

    SegmentModel() {
        Arrays.fill(msn, 1);
    }

    static int headerSize(byte[] segment) {
        return (segment[0] & 0x80) != 0 ? TAGGED_SIZE : UNTAGGED_SIZE;
    }

    /** The result of a header; changes nothing. {@code length} is that of the payload. */
    int check(byte[] segment, int length) {
        ByteBuffer header = ByteBuffer.wrap(segment);
        boolean tagged = (segment[0] & 0x80) != 0;
        boolean version = (segment[0] & 3) == 1;
        int ulp = segment[1] & 0xFF;
        if (tagged) {
            if (!version) {
                return TerminateCode.TAGGED_VERSION;
            }
            return length == 0 ? TerminateCode.NONE : checkAddress(ulp, header.getInt(2), header.getLong(6), length);
        }
        if (!version) {
            return TerminateCode.UNTAGGED_VERSION;
        }
        int queue = header.getInt(6);
        if (queue < 0 || queue >= QUEUES) {
            return TerminateCode.UNTAGGED_QUEUE;
        } else if (header.getInt(10) != msn[queue]) {
            return TerminateCode.UNTAGGED_MSN;
        } else if (underWay[queue] && ulps[queue] != ulp) {
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        } else if (header.getInt(14) != offset[queue]) {
            return TerminateCode.UNTAGGED_OFFSET;
        }
        return length > BUFFER - offset[queue] ? TerminateCode.UNTAGGED_TOO_LONG : TerminateCode.NONE;
    }

    private int checkAddress(int ulp, int stag, long at, int length) {
        if (ulp == SINK_ULP) {
            return length > SINK - sunk ? TerminateCode.TAGGED_BOUNDS : TerminateCode.NONE;
        } else if (stag != STAG) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        long within = at - BASE;
        return within < 0 || within > REGION - length ? TerminateCode.TAGGED_BOUNDS : TerminateCode.NONE;
    }

    /** The offset in the tagged buffer at which the payload of a segment goes; -1 if it goes elsewhere. */
    static int place(byte[] segment) {
        return (segment[0] & 0x80) != 0 && (segment[1] & 0xFF) != SINK_ULP ? (int) (ByteBuffer.wrap(segment).getLong(6) - BASE) : -1;
    }

    /** Whether a segment goes on right behind the last one of a message for an address of the peer's choice. */
    boolean isContinuation(byte[] segment) {
        ByteBuffer header = ByteBuffer.wrap(segment);
        return continues && header.getInt(2) == nextStag && header.getLong(6) == nextOffset;
    }

    /** A whole segment that {@link #check} has passed. */
    void accept(byte[] segment) {
        segments++;
        boolean last = (segment[0] & 0x40) != 0;
        int ulp = segment[1] & 0xFF;
        int size = headerSize(segment);
        int length = segment.length - size;
        if (size == TAGGED_SIZE) {
            acceptTagged(segment, ulp, last, length);
            return;
        }
        ByteBuffer header = ByteBuffer.wrap(segment);
        int queue = header.getInt(6);
        underWay[queue] = !last;
        ulps[queue] = ulp;
        System.arraycopy(segment, size, buffers[queue], offset[queue], length);
        offset[queue] += length;
        if (last) {
            delivered.add(untagged(queue, ulp, header.getInt(2), Arrays.copyOf(buffers[queue], offset[queue])));
            offset[queue] = 0;
            msn[queue]++;
        }
    }

    /** Whether an untagged message has begun and is not whole. */
    boolean isInMessage() {
        boolean any = false;
        for (boolean each : underWay) {
            any |= each;
        }
        return any;
    }

    private void acceptTagged(byte[] segment, int ulp, boolean last, int length) {
        if (ulp == SINK_ULP) {
            System.arraycopy(segment, TAGGED_SIZE, sink, sunk, length);
            sunk += length;
        } else {
            if (length > 0) {
                System.arraycopy(segment, TAGGED_SIZE, region, place(segment), length);
            }
            continues = !last;
            nextStag = ByteBuffer.wrap(segment).getInt(2);
            nextOffset = ByteBuffer.wrap(segment).getLong(6) + length;
        }
        delivered.add(tagged(ulp, last, length));
    }

    static String tagged(int ulp, boolean last, int length) {
        return "tagged " + ulp + (last ? " last " : " more ") + length;
    }

    static String untagged(int queue, int ulp, int word, byte[] bytes) {
        return "untagged " + queue + " " + ulp + " " + word + " " + bytes.length + " " + Arrays.hashCode(bytes);
    }
}

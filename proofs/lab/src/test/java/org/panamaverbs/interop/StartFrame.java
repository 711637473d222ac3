package org.panamaverbs.interop;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An MPA Request or Reply as it was on the wire (RFC 5044, 7.1.1; RFC 6581, 9): 16 bytes of key, flags and revision, the length of the
 * private data, and these.
 */
record StartFrame(byte[] bytes) {
    static final int MARKERS = 0x80;
    static final int CRC = 0x40;
    static final int REJECTED = 0x20;
    static final int ENHANCED = 0x10;

    private static final int FLAGS = 16;
    private static final int REVISION = 17;
    private static final int LENGTH = 18;
    private static final int SIZE = 20;
    /** The upper two bits of both words of revision 2: A and B, C and D. */
    private static final int UPPER = 0x8000;
    private static final int LOWER = 0x4000;

    /** Reads one; {@code null} if the stream ends before it. */
    static StartFrame read(DataInputStream in) throws IOException {
        byte[] head = in.readNBytes(SIZE);
        if (head.length < SIZE) {
            return null;
        }
        byte[] data = in.readNBytes(Short.toUnsignedInt(ByteBuffer.wrap(head).getShort(LENGTH)));
        return new StartFrame(ByteBuffer.allocate(SIZE + data.length).put(head).put(data).array());
    }

    boolean has(int flag) {
        return (bytes[FLAGS] & flag) != 0;
    }

    /** The same with a flag more. */
    StartFrame with(int flag) {
        byte[] changed = bytes.clone();
        changed[FLAGS] |= (byte) flag;
        return new StartFrame(changed);
    }

    int revision() {
        return bytes[REVISION];
    }

    boolean isPeerToPeer() {
        return (word(0) & UPPER) != 0;
    }

    /** The kinds of ready-to-receive indication that it names. */
    List<String> indications() {
        List<String> kinds = new ArrayList<>();
        if ((word(2) & UPPER) != 0) {
            kinds.add("Write");
        }
        if ((word(2) & LOWER) != 0) {
            kinds.add("Read");
        }
        if ((word(0) & LOWER) != 0) {
            kinds.add("Send");
        }
        return kinds;
    }

    private int word(int at) {
        return has(ENHANCED) && bytes.length >= SIZE + 4 ? ByteBuffer.wrap(bytes).getShort(SIZE + at) : 0;
    }

    /** As {@code rev 2 C S, A: Write Read}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("rev ").append(revision());
        text.append(has(MARKERS) ? " M" : "").append(has(CRC) ? " C" : "").append(has(REJECTED) ? " R" : "")
                .append(has(ENHANCED) ? " S" : "");
        return isPeerToPeer() ? text.append(", A: ").append(String.join(" ", indications())).toString() : text.toString();
    }
}

package org.panamaverbs.rpcrdma.simulation;

import java.nio.ByteBuffer;
import java.util.StringJoiner;

/** Messages as words of 4 bytes. */
final class Words {
    static final int XID = 0x0badcafe;
    static final int CREDITS = 8;

    private Words() {
    }

    static byte[] of(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            bytes.putInt(word);
        }
        return bytes.array();
    }

    static int[] join(int[]... parts) {
        return java.util.Arrays.stream(parts).flatMapToInt(java.util.Arrays::stream).toArray();
    }

    static int[] words(int... words) {
        return words;
    }

    /** A segment: handle, length, offset. */
    static int[] segment(int handle, int length, long offset) {
        return words(handle, length, (int) (offset >>> 32), (int) offset);
    }

    /** One entry of a Read list. */
    static int[] read(int position, int handle, int length, long offset) {
        return join(words(1, position), segment(handle, length, offset));
    }

    /** The header of a message up to its lists. */
    static int[] header(int xid, int version, int procedure, int direction) {
        return version == 2 ? words(xid, 2, CREDITS, procedure, direction, 0) : words(xid, version, CREDITS, procedure);
    }

    /** A call without chunks: its payload has a word beside XID and type. */
    static byte[] plainCall(int xid, int version) {
        return of(join(header(xid, version, 0, 0), words(0, 0, 0), words(xid, 0, 7)));
    }

    static byte[] plainReply(int xid, int version, int credits) {
        int[] header = header(xid, version, 0, 1);
        header[2] = credits;
        return of(join(header, words(0, 0, 0), words(xid, 1, 7)));
    }

    static int[] decode(byte[] message) {
        int[] words = new int[message.length / 4];
        ByteBuffer.wrap(message).asIntBuffer().get(words);
        return words;
    }

    static String text(byte[] message) {
        StringJoiner text = new StringJoiner(" ");
        for (int word : decode(message)) {
            text.add(Integer.toHexString(word));
        }
        return text.toString();
    }
}

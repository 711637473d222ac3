package org.panamaverbs.tools.copy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.tools.shared.Failure;

/**
 * The messages that client and server of a copy send each other: one layout for all kinds, of which each uses its part.
 *
 * <pre>
 *  0 kind 8 | 1 version 8 | 2 length of the text 16 | 4 key, CRC-32C, or 1 to replace 32 | 8 size or bytes placed directly 64
 * 16 address or bytes staged 64 | 24 text, in UTF-8
 * </pre>
 *
 * big-endian. The client asks by PUT (text: the name; size; whether another file of the name gives way) or GET (name). The server answers with a GRANT (key and address of a region,
 * size of the whole file) or REFUSES (text: why). A region is the next {@link #WINDOW} of the file, or what is left of it; an empty file has
 * one grant and no region. The client Writes or Reads the region and says DONE, of a PUT with the CRC-32C of the file up to there. The
 * server answers with the next GRANT, after the last region with a RESULT (its CRC-32C of the file, and of a PUT how the bytes were
 * placed), or REFUSES. So one message makes the server reserve one window of its disk at most, and no check takes long.
 */
record Message(Kind kind, int word, long first, long second, String text) {
    enum Kind {
        PUT, GET, GRANT, REFUSED, DONE, RESULT
    }

    /** The longest message. */
    static final int LENGTH = 1024;
    /** How much of a file is granted at a time, in bytes. */
    static final long WINDOW = 16 << 20;

    private static final byte VERSION = 3;
    private static final long TEXT = 24;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    static Message put(String name, long size, boolean replace) {
        return new Message(Kind.PUT, replace ? 1 : 0, size, 0, name);
    }

    static Message get(String name) {
        return new Message(Kind.GET, 0, 0, 0, name);
    }

    static Message grant(int key, long size, long address) {
        return new Message(Kind.GRANT, key, size, address, "");
    }

    static Message refused(String why) {
        return new Message(Kind.REFUSED, 0, 0, 0, why);
    }

    static Message done(int crc) {
        return new Message(Kind.DONE, crc, 0, 0, "");
    }

    static Message result(int crc, long placedDirectly, long staged) {
        return new Message(Kind.RESULT, crc, placedDirectly, staged, "");
    }

    /** Whether a PUT may replace another file. */
    boolean replaces() {
        return word != 0;
    }

    /** How much of a file of a size is granted at an offset. */
    static long window(long size, long offset) {
        return Math.min(WINDOW, size - offset);
    }

    /** @throws Failure if it is none */
    static Message decode(MemorySegment from) {
        if (from.byteSize() < TEXT || from.get(ValueLayout.JAVA_BYTE, 1) != VERSION) {
            throw new Failure(Failure.Kind.PEER, "the peer does not speak this version of pverbs copy: run the same version at both ends");
        }
        int kind = from.get(ValueLayout.JAVA_BYTE, 0) & 0xff;
        int length = from.get(SHORT, 2) & 0xffff;
        if (kind >= Kind.values().length || length > from.byteSize() - TEXT) {
            throw new Failure(Failure.Kind.PEER,
                    "the peer sent a message that makes no sense: kind " + kind + ", " + length + " bytes of text in " + from.byteSize());
        }
        String text = new String(from.asSlice(TEXT, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        return new Message(Kind.values()[kind], from.get(INT, 4), from.get(LONG, 8), from.get(LONG, 16), text);
    }

    /**
     * Writes it.
     *
     * @return its length in bytes
     */
    long encode(MemorySegment into) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, (int) (LENGTH - TEXT));
        into.set(ValueLayout.JAVA_BYTE, 0, (byte) kind.ordinal());
        into.set(ValueLayout.JAVA_BYTE, 1, VERSION);
        into.set(SHORT, 2, (short) length);
        into.set(INT, 4, word);
        into.set(LONG, 8, first);
        into.set(LONG, 16, second);
        MemorySegment.copy(bytes, 0, into, ValueLayout.JAVA_BYTE, TEXT, length);
        return TEXT + length;
    }
}

package org.panamaverbs.testing.fuzz;

import java.util.Arrays;

/** The bytes of a fuzzer, read as a list of choices from the first byte on. Behind the last byte every choice is 0. */
public final class FuzzInput {
    private final byte[] bytes;
    private int at;

    /** Reads from the first byte on. */
    public FuzzInput(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Whether a byte is left. */
    public boolean hasMore() {
        return at < bytes.length;
    }

    /** The next byte: 0 to 255. */
    public int octet() {
        return hasMore() ? Byte.toUnsignedInt(bytes[at++]) : 0;
    }

    /** A choice between {@code bound} things, 1 to 256 of them. */
    public int below(int bound) {
        return octet() % bound;
    }

    /** Two bytes in network order: 0 to 65,535. */
    public int word() {
        return octet() << 8 | octet();
    }

    /** Four bytes in network order. */
    public int integer() {
        return word() << 16 | word();
    }

    /** Eight bytes in network order. */
    public long number() {
        return (long) integer() << 32 | Integer.toUnsignedLong(integer());
    }

    /** The next bytes: so many, or as many as are left. */
    public byte[] take(int most) {
        int end = at + Math.min(most, bytes.length - at);
        byte[] taken = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return taken;
    }

    /** All bytes that are left. */
    public byte[] rest() {
        return take(bytes.length - at);
    }
}

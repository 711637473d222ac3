package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** A set of small numbers (bitmap4; RFC 8881, 3.2): bit n is bit n % 32 of word n / 32. It does not change. */
public final class Bitmap {
    /** No number. */
    public static final Bitmap EMPTY = new Bitmap(new BitSet());

    /** Version 4.2 needs three words; more than this many are an error. */
    private static final int MOST_WORDS = 16;

    private final BitSet bits;

    private Bitmap(BitSet bits) {
        this.bits = bits;
    }

    /** A set of numbers, 0 to 511 each. */
    public static Bitmap of(int... numbers) {
        BitSet bits = new BitSet();
        for (int number : numbers) {
            if (number < 0 || number >= MOST_WORDS * Integer.SIZE) {
                throw new IllegalArgumentException("a number of a bitmap is 0 to 511, not " + number);
            }
            bits.set(number);
        }
        return new Bitmap(bits);
    }

    /** A set of attributes. */
    public static Bitmap of(Attribute<?>... attributes) {
        return of(Arrays.stream(attributes).mapToInt(Attribute::number).toArray());
    }

    public boolean contains(int number) {
        return bits.get(number);
    }

    public boolean contains(Attribute<?> attribute) {
        return contains(attribute.number());
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    /** The numbers in ascending order, as attributes are encoded. */
    public IntStream numbers() {
        return bits.stream();
    }

    /** Numbers that both have. */
    public Bitmap and(Bitmap other) {
        BitSet both = (BitSet) bits.clone();
        both.and(other.bits);
        return new Bitmap(both);
    }

    /** Numbers that this has and the other does not. */
    public Bitmap without(Bitmap other) {
        BitSet rest = (BitSet) bits.clone();
        rest.andNot(other.bits);
        return new Bitmap(rest);
    }

    public void encode(XdrEncodingStream xdr) {
        int words = (bits.length() + Integer.SIZE - 1) / Integer.SIZE;
        long[] values = Arrays.copyOf(bits.toLongArray(), (words + 1) / 2);
        xdr.xdrEncodeInt(words);
        for (int i = 0; i < words; i++) {
            xdr.xdrEncodeInt((int) (values[i / 2] >>> i % 2 * Integer.SIZE));
        }
    }

    public static Bitmap decode(XdrDecodingStream xdr) throws IOException {
        int words = Bounded.count(xdr, MOST_WORDS, "a bitmap");
        long[] values = new long[(words + 1) / 2];
        for (int i = 0; i < words; i++) {
            values[i / 2] |= Integer.toUnsignedLong(xdr.xdrDecodeInt()) << i % 2 * Integer.SIZE;
        }
        return new Bitmap(BitSet.valueOf(values));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bitmap bitmap && bits.equals(bitmap.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    @Override
    public String toString() {
        return bits.toString();
    }
}

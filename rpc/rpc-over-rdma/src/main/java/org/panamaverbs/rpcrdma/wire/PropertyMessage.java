package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The body of a property message of version 2 (draft, 6.3): sets of transport properties, and subsets of them. One object is used again
 * and again. Properties that this side does not know are counted and otherwise skipped, as the draft wants it.
 */
public final class PropertyMessage {
    /** {@code RDMA2_PROPID_RBSIZ}: the size of posted receives in bytes (draft, 6.2.1). */
    public static final int RECEIVE_BUFFER_SIZE = 1;

    /** {@code RDMA2_PROPID_BRS}: support of requests in the backward direction (draft, 6.2.2). */
    public static final int BACKWARD_REQUEST_SUPPORT = 2;

    public static final int BACKWARD_NONE = 0;
    public static final int BACKWARD_INLINE = 1;
    public static final int BACKWARD_GENERAL = 2;

    /** The default of {@link #RECEIVE_BUFFER_SIZE}. */
    public static final int USUAL_RECEIVE_BUFFER = 4096;

    private static final int USUAL = 4;
    /** A property has its number and the length of its data, at least. */
    private static final int SHORTEST_PROPERTY = 8;
    private int[] ids = new int[USUAL];
    private int[] values = new int[USUAL];
    private final BitSet defaults = new BitSet();
    private int count;
    private final BitSet first = new BitSet();
    private final BitSet second = new BitSet();
    private MemorySegment message;
    private long at;
    private long end;
    private boolean sound;

    /** Forgets all. */
    public void clear() {
        count = 0;
        defaults.clear();
        first.clear();
        second.clear();
    }

    /** Adds a property whose value is one word, as both of the draft are. */
    public void add(int id, int value) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, 2 * count);
            values = Arrays.copyOf(values, 2 * count);
        }
        ids[count] = id;
        values[count] = value;
        count++;
    }

    /** Adds a property of its default value. */
    public void addDefault(int id) {
        defaults.set(count);
        add(id, usualValue(id));
    }

    public int count() {
        return count;
    }

    public int id(int index) {
        return ids[index];
    }

    /** The value of a property that this side knows; of others nothing is kept. */
    public int value(int index) {
        return values[index];
    }

    /** Whether the property has its default value, which is written as data of no bytes (draft, 6.1.1). */
    public boolean isDefault(int index) {
        return defaults.get(index);
    }

    public static boolean isKnown(int id) {
        return id == RECEIVE_BUFFER_SIZE || id == BACKWARD_REQUEST_SUPPORT;
    }

    /** The default of a property; 0 of one that this side does not know. */
    public static int usualValue(int id) {
        return switch (id) {
            case RECEIVE_BUFFER_SIZE -> USUAL_RECEIVE_BUFFER;
            case BACKWARD_REQUEST_SUPPORT -> BACKWARD_INLINE;
            default -> 0;
        };
    }

    /** Whether an index is in the first subset: {@code rdma_nochg} of CONNPROP, {@code rdma_done} of RESPROP. */
    public boolean isInFirst(int index) {
        return first.get(index);
    }

    /** Whether an index is in the second subset: {@code rdma_rejected} of RESPROP. */
    public boolean isInSecond(int index) {
        return second.get(index);
    }

    public void putInFirst(int index) {
        first.set(index);
    }

    public void putInSecond(int index) {
        second.set(index);
    }

    /** Parses a body; returns its length, or -1 if it cannot be decoded. */
    long parse(int procedure, MemorySegment from, long offset, long length) {
        clear();
        message = from;
        at = offset;
        end = offset + length;
        sound = true;
        if (procedure == Wire.RESPROP) {
            subset(first);
            subset(second);
        }
        set();
        if (procedure == Wire.CONNPROP) {
            subset(first);
        }
        return sound ? at - offset : -1;
    }

    private void set() {
        int size = word();
        if (size < 0 || size > (end - at) / SHORTEST_PROPERTY) {
            sound = false;
            return;
        }
        for (int i = 0; i < size && sound; i++) {
            int id = word();
            long length = Integer.toUnsignedLong(word());
            long padded = length + (-length & 3);
            if (!sound || padded > end - at) {
                sound = false;
                return;
            }
            value(id, length);
            at += padded;
        }
    }

    private void value(int id, long length) {
        boolean defined = isKnown(id);
        int value = length < Integer.BYTES ? 0 : message.get(Wire.INT, at);
        // "Insufficient to contain the data", or a value that the enum does not have (draft, 6.1.1).
        if (defined && length != 0
                && (length < Integer.BYTES || id == BACKWARD_REQUEST_SUPPORT && (value < BACKWARD_NONE || value > BACKWARD_GENERAL))) {
            sound = false;
            return;
        }
        if (length == 0) {
            addDefault(id);
        } else {
            add(id, value);
        }
    }

    /** Bit N mod 32 of word N div 32 is for the Nth property; the least significant bit is bit 0. */
    private void subset(BitSet into) {
        int words = word();
        if (words < 0 || words > (end - at) / Integer.BYTES) {
            sound = false;
            return;
        }
        for (int i = 0; i < words; i++) {
            for (int bits = word(); bits != 0; bits &= bits - 1) {
                into.set(Integer.SIZE * i + Integer.numberOfTrailingZeros(bits));
            }
        }
    }

    private int word() {
        if (end - at < Integer.BYTES) {
            sound = false;
            return 0;
        }
        int value = message.get(Wire.INT, at);
        at += Integer.BYTES;
        return value;
    }

    /** Writes a property message with its fixed fields; returns the offset behind it. */
    public long encode(MemorySegment into, long offset, int xid, int credits, int procedure) {
        long to = HeaderWriter.fixed(into, offset, xid, Wire.VERSION_2, credits, procedure);
        if (procedure == Wire.RESPROP) {
            to = subset(into, to, first);
            to = subset(into, to, second);
        }
        to = HeaderWriter.word(into, to, count);
        for (int i = 0; i < count; i++) {
            to = HeaderWriter.word(into, to, ids[i]);
            to = HeaderWriter.word(into, to, defaults.get(i) ? 0 : Integer.BYTES);
            to = defaults.get(i) ? to : HeaderWriter.word(into, to, values[i]);
        }
        return procedure == Wire.CONNPROP ? subset(into, to, first) : to;
    }

    private static long subset(MemorySegment into, long offset, BitSet bits) {
        int words = (bits.length() + Integer.SIZE - 1) / Integer.SIZE;
        long to = HeaderWriter.word(into, offset, words);
        for (int i = 0; i < words; i++) {
            int word = 0;
            for (int bit = 0; bit < Integer.SIZE; bit++) {
                word |= bits.get(Integer.SIZE * i + bit) ? 1 << bit : 0;
            }
            to = HeaderWriter.word(into, to, word);
        }
        return to;
    }
}

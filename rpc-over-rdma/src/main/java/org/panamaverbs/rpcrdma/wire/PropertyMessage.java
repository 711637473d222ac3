package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

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

    private static final int MOST = 64;
    private final int[] ids = new int[MOST];
    private final int[] values = new int[MOST];
    private final boolean[] defaults = new boolean[MOST];
    private int count;
    private final int[] first = new int[MOST / 32];
    private final int[] second = new int[MOST / 32];
    private MemorySegment message;
    private long at;
    private long end;
    private boolean sound;

    /** Forgets all. */
    public void clear() {
        count = 0;
        java.util.Arrays.fill(first, 0);
        java.util.Arrays.fill(second, 0);
    }

    /** Adds a property whose value is one word, as both of the draft are. */
    public void add(int id, int value) {
        ids[count] = id;
        values[count] = value;
        defaults[count] = false;
        count++;
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
        return defaults[index];
    }

    public static boolean isKnown(int id) {
        return id == RECEIVE_BUFFER_SIZE || id == BACKWARD_REQUEST_SUPPORT;
    }

    public static int usualValue(int id) {
        return id == RECEIVE_BUFFER_SIZE ? USUAL_RECEIVE_BUFFER : BACKWARD_INLINE;
    }

    /** Whether an index is in the first subset: {@code rdma_nochg} of CONNPROP, {@code rdma_done} of RESPROP. */
    public boolean isInFirst(int index) {
        return in(first, index);
    }

    /** Whether an index is in the second subset: {@code rdma_rejected} of RESPROP. */
    public boolean isInSecond(int index) {
        return in(second, index);
    }

    public void putInFirst(int index) {
        first[index / 32] |= 1 << index % 32;
    }

    public void putInSecond(int index) {
        second[index / 32] |= 1 << index % 32;
    }

    private static boolean in(int[] subset, int index) {
        return index / 32 < subset.length && (subset[index / 32] & 1 << index % 32) != 0;
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
        if (size < 0 || size > (end - at) / 8 || size > MOST) {
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
        boolean known = isKnown(id);
        int value = length < Integer.BYTES ? 0 : message.get(Wire.INT, at);
        // "Insufficient to contain the data", or a value that the enum does not have (draft, 6.1.1).
        if (known && length != 0 && (length < Integer.BYTES
                || id == BACKWARD_REQUEST_SUPPORT && (value < BACKWARD_NONE || value > BACKWARD_GENERAL))) {
            sound = false;
            return;
        }
        add(id, known && length == 0 ? usualValue(id) : value);
        defaults[count - 1] = length == 0;
    }

    private void subset(int[] into) {
        int words = word();
        if (words < 0 || words > (end - at) / Integer.BYTES) {
            sound = false;
            return;
        }
        for (int i = 0; i < words; i++) {
            int bits = word();
            if (i < into.length) {
                into[i] = bits;
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
            to = HeaderWriter.word(into, to, Integer.BYTES);
            to = HeaderWriter.word(into, to, values[i]);
        }
        return procedure == Wire.CONNPROP ? subset(into, to, first) : to;
    }

    private static long subset(MemorySegment into, long offset, int[] bits) {
        int words = bits[1] != 0 ? 2 : bits[0] != 0 ? 1 : 0;
        long to = HeaderWriter.word(into, offset, words);
        for (int i = 0; i < words; i++) {
            to = HeaderWriter.word(into, to, bits[i]);
        }
        return to;
    }
}

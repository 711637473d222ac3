package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The sequence numbers of the sources of ordered datagrams. A message counts as late if it is not newer than the last indication or
 * undecorated message that was delivered from its source; nothing is late for a source before its first delivery.
 *
 * <p>Numbers are compared modulo 65,536 with half a window, around the newest message of the source. So a transfer may have any number of
 * messages after an indication: the table extends each number to 64 bits first.
 *
 * <p>The table is bounded, because senders can make up addresses. A source gets an entry at its first delivery, not before: a sender must
 * name a registered buffer, or use up a posted receive. The keyed hash of an address chooses a set of {@value #WAYS} entries; if that set is
 * full, the source in it that sent nothing for the longest time is forgotten, and begins anew. A delayed duplicate of its last indication
 * could then be delivered again: more than {@value #WAYS} sources would have to be delivered from between the two that fall into the same
 * set. Nothing is allocated before the first delivery, and nothing per message.
 */
public final class SourceTable {
    /** How many bytes of an address count. */
    public static final int MOST_BYTES = 32;
    /** The number of sources that suits a socket. */
    public static final int USUAL = 1024;

    private static final int WAYS = 8;
    private static final int WORDS = MOST_BYTES / Long.BYTES;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int NOT_FOUND = -1;

    private final int sets;
    private final long seed;
    /** The address of each entry, padded with 0. */
    private long[] keys = {};
    /** Per entry the extended number of the last delivery, and of the newest message. */
    private long[] delivered = {};
    private long[] newest = {};
    /** Per entry the time of its last message, counted in messages; 0 if the entry is free. */
    private long[] used = {};
    private long time;

    /** The source of the message under way, its length in front. */
    private final long[] key = new long[1 + WORDS];
    private int entry;
    private int sequence;
    private long extended;

    /**
     * Makes an empty table.
     *
     * @param sources the most sources, rounded up to a power of two, {@value #WAYS} at least
     * @param seed    a number that senders cannot guess: it decides which sources share a set
     */
    public SourceTable(int sources, long seed) {
        this.sets = Integer.highestOneBit(Math.max(1, (sources + WAYS - 1) / WAYS) * 2 - 1);
        this.seed = seed;
    }

    /**
     * Whether a message is newer than the last delivery of its source. That source then is the one {@link #onDelivered()} is about.
     *
     * @param number the sequence number of the message, 0 to 65,535
     */
    boolean accepts(MemorySegment source, long at, int length, int number) {
        readKey(source, at, length);
        sequence = number;
        entry = find();
        if (entry == NOT_FOUND) {
            return true;
        }
        used[entry] = ++time;
        extended = newest[entry] + (short) (number - (int) newest[entry]);
        if (extended > newest[entry]) {
            newest[entry] = extended;
        }
        return extended > delivered[entry];
    }

    /** The message of the last {@link #accepts} was an indication or undecorated, and is delivered. */
    void onDelivered() {
        if (entry == NOT_FOUND) {
            entry = claim();
            extended = sequence;
            newest[entry] = extended;
        }
        delivered[entry] = extended;
    }

    private void readKey(MemorySegment source, long at, int length) {
        int bytes = Math.min(length, MOST_BYTES);
        key[0] = bytes;
        for (int word = 0; word < WORDS; word++) {
            int start = word * Long.BYTES;
            long value = 0;
            if (start + Long.BYTES <= bytes) {
                value = source.get(ValueLayout.JAVA_LONG_UNALIGNED, at + start);
            } else {
                for (int i = start; i < bytes; i++) {
                    value = value << Byte.SIZE | Byte.toUnsignedInt(source.get(ValueLayout.JAVA_BYTE, at + i));
                }
            }
            key[1 + word] = value;
        }
    }

    /** The index of the first entry of the set that the address belongs to. */
    private int set() {
        long hash = seed;
        for (long word : key) {
            hash = (hash ^ word) * MULTIPLIER;
            hash ^= hash >>> 32;
        }
        return (int) (hash & sets - 1) * WAYS;
    }

    private int find() {
        if (used.length == 0) {
            return NOT_FOUND;
        }
        int first = set();
        for (int i = first; i < first + WAYS; i++) {
            int from = i * key.length;
            if (used[i] != 0 && Arrays.equals(keys, from, from + key.length, key, 0, key.length)) {
                return i;
            }
        }
        return NOT_FOUND;
    }

    /** Takes a free entry for the address, or that of the source in its set that was silent for the longest time. */
    private int claim() {
        if (used.length == 0) {
            int entries = sets * WAYS;
            keys = new long[entries * key.length];
            delivered = new long[entries];
            newest = new long[entries];
            used = new long[entries];
        }
        int first = set();
        int oldest = first;
        for (int i = first; i < first + WAYS; i++) {
            if (used[i] < used[oldest]) {
                oldest = i;
            }
        }
        System.arraycopy(key, 0, keys, oldest * key.length, key.length);
        used[oldest] = ++time;
        return oldest;
    }
}

package org.panamaverbs.tools.cast;

import java.util.Arrays;

/** Ranges of a file, taken together: sorted, without overlaps. One thread at a time. */
final class RangeUnion {
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    private int count;

    void clear() {
        count = 0;
    }

    /** Adds a range of 1 octet or more; {@link #merge} must follow before anything is read. */
    void add(long start, long end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    /** Sorts the ranges and makes one of those that overlap or touch. */
    void merge() {
        // Of two sorted lists of starts and ends, the union begins where more ranges have begun than ended.
        Arrays.sort(starts, 0, count);
        Arrays.sort(ends, 0, count);
        int merged = 0;
        int open = 0;
        int end = 0;
        long begin = 0;
        for (int start = 0; start < count || end < count;) {
            if (start < count && starts[start] <= ends[end]) {
                if (open == 0) {
                    begin = starts[start];
                }
                open++;
                start++;
            } else {
                open--;
                if (open == 0) {
                    starts[merged] = begin;
                    ends[merged] = ends[end];
                    merged++;
                }
                end++;
            }
        }
        count = merged;
    }

    int count() {
        return count;
    }

    long start(int range) {
        return starts[range];
    }

    long end(int range) {
        return ends[range];
    }

    long octets() {
        long octets = 0;
        for (int i = 0; i < count; i++) {
            octets += ends[i] - starts[i];
        }
        return octets;
    }
}

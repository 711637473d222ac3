package org.panamaverbs.tools.cast;

import java.util.Arrays;

/**
 * The octets of a file that have not come yet. Any thread may use it.
 *
 * <p>The file is a row of blocks. A block is untouched, or whole, or has a sorted list of runs: the octets that have come. Parts that follow
 * each other extend one run, so marking them takes the same time however long the file is. A block keeps {@value #MOST_RUNS} runs at
 * most, and so the runs of all blocks take an eighth of the file's size at most, whatever a sender does. A run that finds no room is
 * forgotten: its octets count as not come, and come again with a repair. Only fragments shorter than 32 octets on average get there.
 */
final class Holes {
    static final int BLOCK = 1 << 16;
    static final int MOST_RUNS = 2048;

    private static final int FEW = 4;
    private static final int[] WHOLE = {};

    /** The runs of each block, {@code null} if it is untouched. A run is its first octet in the upper 16 bits and its last in the lower. */
    private final int[][] blocks;
    private final int[] counts;
    private final long size;
    private long missing;
    /** All blocks before it are whole. */
    private int first;

    /** Takes one range, and says whether it wants another. */
    interface Visitor {
        boolean visit(long offset, long length);
    }

    /** @param size of the file, 0 or more; up to 2^46 octets */
    Holes(long size) {
        if (size < 0 || size > (long) Integer.MAX_VALUE / 2 * BLOCK) {
            throw new IllegalArgumentException("a file has 0 to " + (long) Integer.MAX_VALUE / 2 * BLOCK + " octets, not " + size);
        }
        this.size = size;
        int count = (int) ((size + BLOCK - 1) / BLOCK);
        blocks = new int[count][];
        counts = new int[count];
        missing = size;
    }

    /** How many octets have not come. */
    synchronized long missing() {
        return missing;
    }

    /** How many octets from the start have come without a hole. */
    synchronized long prefix() {
        skipWhole();
        if (first == blocks.length) {
            return size;
        }
        long start = (long) first * BLOCK;
        boolean begun = counts[first] > 0 && begin(blocks[first][0]) == 0;
        return begun ? start + end(blocks[first][0]) : start;
    }

    /** Octets have come, perhaps again; they lie within the file. */
    synchronized void fill(long offset, long length) {
        long end = offset + length;
        for (long at = offset; at < end;) {
            int block = (int) (at / BLOCK);
            long start = (long) block * BLOCK;
            long stop = Math.min(end, start + BLOCK);
            if (blocks[block] != WHOLE) {
                fillBlock(block, (int) (at - start), (int) (stop - start));
            }
            at = stop;
        }
    }

    private int length(int block) {
        return (int) Math.min(BLOCK, size - (long) block * BLOCK);
    }

    private void fillBlock(int block, int from, int to) {
        if (from == 0 && to == length(block)) {
            missing -= to - come(block);
            complete(block);
            return;
        }
        int[] runs = blocks[block];
        int count = counts[block];
        if (runs == null) {
            runs = blocks[block] = new int[FEW];
        }
        // The runs that touch it become one: those from low, and before high.
        int low = count == 0 || end(runs[count - 1]) < from ? count : firstEndingFrom(runs, count, from);
        int high = low;
        int begin = from;
        int end = to;
        int present = 0;
        while (high < count && begin(runs[high]) <= to) {
            begin = Math.min(begin, begin(runs[high]));
            end = Math.max(end, end(runs[high]));
            present += end(runs[high]) - begin(runs[high]);
            high++;
        }
        if (low == high && !insertRoom(block, low)) {
            return;
        }
        runs = blocks[block];
        runs[low] = run(begin, end);
        if (high > low + 1) {
            System.arraycopy(runs, high, runs, low + 1, count - high);
            counts[block] = count - (high - low - 1);
        }
        missing -= end - begin - present;
        if (begin == 0 && end == length(block)) {
            complete(block);
        }
    }

    /** The first run that ends at a position or later. */
    private static int firstEndingFrom(int[] runs, int count, int from) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (end(runs[middle]) < from) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Makes room for one more run before another; not beyond the most. */
    private boolean insertRoom(int block, int before) {
        int count = counts[block];
        if (count == MOST_RUNS) {
            return false;
        }
        if (count == blocks[block].length) {
            blocks[block] = Arrays.copyOf(blocks[block], 2 * count);
        }
        System.arraycopy(blocks[block], before, blocks[block], before + 1, count - before);
        counts[block] = count + 1;
        return true;
    }

    private int come(int block) {
        int come = 0;
        for (int i = 0; i < counts[block]; i++) {
            come += end(blocks[block][i]) - begin(blocks[block][i]);
        }
        return come;
    }

    private void complete(int block) {
        blocks[block] = WHOLE;
        counts[block] = 0;
        skipWhole();
    }

    private void skipWhole() {
        while (first < blocks.length && blocks[first] == WHOLE) {
            first++;
        }
    }

    /** Visits the holes in order, from the file's start; holes that touch are one. */
    synchronized void visit(Visitor visitor) {
        skipWhole();
        long open = -1;
        for (int block = first; block < blocks.length; block++) {
            long start = (long) block * BLOCK;
            int at = 0;
            for (int i = 0; i < counts[block]; i++) {
                int run = blocks[block][i];
                if (open < 0 && begin(run) > at) {
                    open = start + at;
                }
                if (open >= 0 && !visitor.visit(open, start + begin(run) - open)) {
                    return;
                }
                open = -1;
                at = end(run);
            }
            if (blocks[block] == WHOLE) {
                if (open >= 0 && !visitor.visit(open, start - open)) {
                    return;
                }
                open = -1;
            } else if (open < 0 && at < length(block)) {
                open = start + at;
            }
        }
        if (open >= 0) {
            visitor.visit(open, size - open);
        }
    }

    private static int run(int begin, int end) {
        return begin << 16 | end - 1;
    }

    private static int begin(int run) {
        return run >>> 16;
    }

    /** Behind the last octet. */
    private static int end(int run) {
        return (run & 0xffff) + 1;
    }
}

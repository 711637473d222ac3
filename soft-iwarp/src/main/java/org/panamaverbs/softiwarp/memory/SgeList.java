package org.panamaverbs.softiwarp.memory;

/**
 * Parts of registered memory, in order. A queue keeps the lists of all its requests in one of these, each in a stretch of its own;
 * {@link SgeCursor} passes over a stretch.
 */
public final class SgeList {
    final RegisteredMemory[] owners;
    final long[] offsets;
    final long[] lengths;

    /**
     * Makes an empty one.
     *
     * @param size how many parts it has room for
     */
    public SgeList(int size) {
        owners = new RegisteredMemory[size];
        offsets = new long[size];
        lengths = new long[size];
    }

    /** Puts a part into a place. */
    public void set(int index, RegisteredMemory owner, long offset, long length) {
        owners[index] = owner;
        offsets[index] = offset;
        lengths[index] = length;
    }

    /** Puts parts of another list into the first places. */
    public void copy(SgeList from, int first, int count) {
        System.arraycopy(from.owners, first, owners, 0, count);
        System.arraycopy(from.offsets, first, offsets, 0, count);
        System.arraycopy(from.lengths, first, lengths, 0, count);
    }

    /** Drops the memory of parts, so that it may be collected. */
    public void forget(int first, int count) {
        for (int i = first; i < first + count; i++) {
            owners[i] = null;
        }
    }

    /** The memory of a part. */
    public RegisteredMemory owner(int index) {
        return owners[index];
    }

    /** Where a part starts in its memory. */
    public long offset(int index) {
        return offsets[index];
    }
}

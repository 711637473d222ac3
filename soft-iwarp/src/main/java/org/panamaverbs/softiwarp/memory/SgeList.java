package org.panamaverbs.softiwarp.memory;

/**
 * Parts of registered memory, in order. A queue keeps the parts of all its requests in one list, with a range of its own for each request;
 * an {@link SgeCursor} wraps such a range.
 */
public final class SgeList {
    final RegisteredMemory[] owners;
    final long[] offsets;
    final long[] lengths;

    /**
     * Makes an empty list.
     *
     * @param size the most parts
     */
    public SgeList(int size) {
        owners = new RegisteredMemory[size];
        offsets = new long[size];
        lengths = new long[size];
    }

    /** Sets the part at an index. */
    public void set(int index, RegisteredMemory owner, long offset, long length) {
        owners[index] = owner;
        offsets[index] = offset;
        lengths[index] = length;
    }

    /** Copies parts of another list to the start of this list. */
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

    /** The offset of a part in its memory. */
    public long offset(int index) {
        return offsets[index];
    }

    /** The length of a part in bytes. */
    public long length(int index) {
        return lengths[index];
    }
}

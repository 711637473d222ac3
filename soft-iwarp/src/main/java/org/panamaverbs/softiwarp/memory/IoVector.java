package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Parts of memory, in order: a scattering read fills them, a gathering write sends them. A part that continues the one before is merged
 * into that one. A vector is made once and refilled many times; one thread at a time uses it. Its arrays start small and grow with the
 * number of parts, since thousands of connections never send more than a few parts.
 *
 * <p>The vector keeps a part as segment, offset and length, never as a bare address. The caller passes the segments to the system call, so
 * that their memory cannot be freed while the system uses it.
 */
public final class IoVector {
    private static final int FEW = 4;

    private final int capacity;
    private RegisteredMemory[] owners;
    private MemorySegment[] segments;
    private long[] offsets;
    private long[] lengths;
    private int size;
    private long bytes;

    /**
     * Makes an empty vector.
     *
     * @param capacity the most parts
     */
    public IoVector(int capacity) {
        this.capacity = capacity;
        int first = Math.min(FEW, capacity);
        owners = new RegisteredMemory[first];
        segments = new MemorySegment[first];
        offsets = new long[first];
        lengths = new long[first];
    }

    private void grow() {
        int more = Math.min(2 * size, capacity);
        owners = Arrays.copyOf(owners, more);
        segments = Arrays.copyOf(segments, more);
        offsets = Arrays.copyOf(offsets, more);
        lengths = Arrays.copyOf(lengths, more);
    }

    /** Removes all parts, so that their segments may be collected. */
    public void clear() {
        forget(0);
        bytes = 0;
    }

    /**
     * Appends a part of the provider's own memory, unless its length is 0.
     *
     * @param segment native memory if a system call takes the vector
     * @param offset  offset of the part in the segment
     * @param length  length of the part in bytes
     * @return {@code false} if there is no room for another part
     */
    public boolean add(MemorySegment segment, long offset, long length) {
        return add(null, segment, offset, length);
    }

    /** Appends a part of registered memory, unless its length is 0. {@link #enter()} enters that memory. */
    boolean add(RegisteredMemory owner, long offset, long length) {
        return add(owner, owner.segment(), offset, length);
    }

    private boolean add(RegisteredMemory owner, MemorySegment segment, long offset, long length) {
        if (length == 0) {
            return true;
        }
        int last = size - 1;
        if (last >= 0 && owners[last] == owner && segments[last] == segment && offsets[last] + lengths[last] == offset) {
            lengths[last] += length;
        } else if (size == capacity) {
            return false;
        } else {
            if (size == lengths.length) {
                grow();
            }
            owners[size] = owner;
            segments[size] = segment;
            offsets[size] = offset;
            lengths[size] = length;
            size++;
        }
        bytes += length;
        return true;
    }

    /**
     * Drops bytes from the front, after a system call has taken them.
     *
     * @param count 0 to {@link #bytes()}
     */
    public void consume(long count) {
        if (count == bytes) {
            clear();
            return;
        }
        long left = count;
        int whole = 0;
        while (left >= lengths[whole]) {
            left -= lengths[whole];
            whole++;
        }
        if (whole > 0) {
            int rest = size - whole;
            System.arraycopy(owners, whole, owners, 0, rest);
            System.arraycopy(segments, whole, segments, 0, rest);
            System.arraycopy(offsets, whole, offsets, 0, rest);
            System.arraycopy(lengths, whole, lengths, 0, rest);
            forget(rest);
        }
        offsets[0] += left;
        lengths[0] -= left;
        bytes -= count;
    }

    /** Drops the parts from an index on, so that their segments may be collected. */
    private void forget(int first) {
        for (int i = first; i < size; i++) {
            owners[i] = null;
            segments[i] = null;
        }
        size = first;
    }

    /**
     * Drops bytes from the end.
     *
     * @param count how many bytes stay, 0 to {@link #bytes()}
     */
    public void truncate(long count) {
        long excess = bytes - count;
        while (excess > 0) {
            int last = size - 1;
            if (excess < lengths[last]) {
                lengths[last] -= excess;
                break;
            }
            excess -= lengths[last];
            forget(last);
        }
        bytes = count;
    }

    /** Whether all parts are the provider's own memory. */
    public boolean isOwn() {
        for (int i = 0; i < size; i++) {
            if (owners[i] != null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies all bytes. Registered memory must not be entered before: this method enters it.
     *
     * @param target receives the bytes, from its start on
     * @return {@code false} if some memory can no longer be used
     */
    public boolean copyTo(MemorySegment target) {
        IoVector whole = new IoVector(1);
        whole.add(target, 0, bytes);
        if (!enter()) {
            return false;
        }
        try {
            return copyTo(whole) == bytes;
        } finally {
            exit();
        }
    }

    /**
     * Copies bytes from the first on, as many as both vectors have. The registered memory of both must be entered before.
     *
     * @param target receives the bytes, from its first part on
     * @return how many bytes were copied: fewer if some memory can no longer be used, or memory of the target is read-only
     */
    public long copyTo(IoVector target) {
        long wanted = Math.min(bytes, target.bytes);
        long copied = 0;
        int from = 0;
        long fromSkip = 0;
        int to = 0;
        long toSkip = 0;
        try {
            while (copied < wanted && !target.segments[to].isReadOnly()) {
                long length = Math.min(lengths[from] - fromSkip, target.lengths[to] - toSkip);
                MemorySegment.copy(segments[from], offsets[from] + fromSkip, target.segments[to], target.offsets[to] + toSkip, length);
                endCopy(owners[from]);
                endCopy(target.owners[to]);
                copied += length;
                fromSkip += length;
                if (fromSkip == lengths[from]) {
                    from++;
                    fromSkip = 0;
                }
                toSkip += length;
                if (toSkip == target.lengths[to]) {
                    to++;
                    toSkip = 0;
                }
            }
        } catch (IllegalStateException | WrongThreadException | InternalError e) {
            // An arena is closed, or confined to another thread; or a mapped file was truncated, which the JVM reports as an InternalError.
            return copied;
        }
        return copied;
    }

    /**
     * Copies a range of the bytes. The registered memory must be entered before.
     *
     * @param from   the first byte, counted from the front of the vector
     * @param target receives the bytes
     * @param at     the offset in the target
     * @param length bytes to copy; the vector has them
     * @return the number of bytes copied: fewer if some memory can no longer be used
     */
    public long copyRange(long from, MemorySegment target, long at, long length) {
        long skip = from;
        long copied = 0;
        try {
            for (int i = 0; i < size && copied < length; i++) {
                if (skip >= lengths[i]) {
                    skip -= lengths[i];
                    continue;
                }
                long part = Math.min(lengths[i] - skip, length - copied);
                MemorySegment.copy(segments[i], offsets[i] + skip, target, at + copied, part);
                endCopy(owners[i]);
                copied += part;
                skip = 0;
            }
        } catch (IllegalStateException | WrongThreadException | InternalError e) {
            // As in copyTo.
            return copied;
        }
        return copied;
    }

    /**
     * Fills a range of the bytes. The registered memory must be entered before.
     *
     * @param from   the first byte, counted from the front of the vector
     * @param source has the bytes
     * @param at     their offset in the source
     * @param length bytes to copy; the vector has room for them
     * @return the number of bytes copied: fewer if some memory can no longer be used, or is read-only
     */
    public long fillRange(long from, MemorySegment source, long at, long length) {
        long skip = from;
        long copied = 0;
        try {
            for (int i = 0; i < size && copied < length; i++) {
                if (skip >= lengths[i]) {
                    skip -= lengths[i];
                    continue;
                }
                if (segments[i].isReadOnly()) {
                    break;
                }
                long part = Math.min(lengths[i] - skip, length - copied);
                MemorySegment.copy(source, at + copied, segments[i], offsets[i] + skip, part);
                endCopy(owners[i]);
                copied += part;
                skip = 0;
            }
        } catch (IllegalStateException | WrongThreadException | InternalError e) {
            // As in copyTo.
            return copied;
        }
        return copied;
    }

    private static void endCopy(RegisteredMemory owner) {
        if (owner != null) {
            owner.endCopy();
        }
    }

    /**
     * Enters the registered memory of all parts, for one system call.
     *
     * @return {@code false} if some memory is retired: then none is entered
     */
    public boolean enter() {
        RegisteredMemory last = null;
        for (int i = 0; i < size; i++) {
            RegisteredMemory owner = owners[i];
            // Parts of the same memory with nothing but headers between them need only one entry.
            if (owner != null && owner != last) {
                if (!owner.enter()) {
                    exit(i);
                    return false;
                }
                last = owner;
            }
        }
        return true;
    }

    /** Exits all memory that {@link #enter()} entered. Must be called before the vector changes. */
    public void exit() {
        exit(size);
    }

    private void exit(int end) {
        RegisteredMemory last = null;
        for (int i = 0; i < end; i++) {
            RegisteredMemory owner = owners[i];
            if (owner != null && owner != last) {
                owner.exit();
                last = owner;
            }
        }
    }

    /**
     * How many parts there are.
     *
     * @return 0 to the capacity
     */
    public int size() {
        return size;
    }

    /**
     * How many more parts fit.
     *
     * @return 0 to the capacity
     */
    public int room() {
        return capacity - size;
    }

    /**
     * The length of all parts together.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * The segment of a part.
     *
     * @param index 0 to {@link #size()} - 1
     * @return the whole segment, not a slice
     */
    public MemorySegment segment(int index) {
        return segments[index];
    }

    /**
     * The offset of a part in its segment.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes
     */
    public long offset(int index) {
        return offsets[index];
    }

    /**
     * The length of a part.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes, 1 or more
     */
    public long length(int index) {
        return lengths[index];
    }
}

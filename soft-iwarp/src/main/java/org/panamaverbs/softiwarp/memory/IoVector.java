package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Parts of memory, in order: what a scattering read fills, or a gathering write takes. Made once, filled again and again; a part that
 * continues the one before it is merged into it. It belongs to one thread at a time, and allocates only until it has held as many parts
 * as it ever will: there are thousands of connections that never send more than a few.
 *
 * <p>Parts are kept as segment, offset and length, never as a bare address: whoever hands them to the system passes the segments along,
 * so that the memory cannot be freed while the system uses it.
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
     * Makes an empty one.
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

    /** Empties it; the segments may be collected. */
    public void clear() {
        forget(0);
        bytes = 0;
    }

    /**
     * Becomes what another one is, as far as there is room for its parts.
     *
     * @param other stays as it is
     */
    public void copy(IoVector other) {
        clear();
        for (int i = 0; i < other.size && add(other.owners[i], other.segments[i], other.offsets[i], other.lengths[i]); i++) {
            // Until one has no room.
        }
    }

    /**
     * Appends a part of the provider's own memory. Nothing of length 0 is appended.
     *
     * @param segment native memory
     * @param offset  where the part starts in it
     * @param length  how long it is
     * @return {@code false} where there is no room for a further part
     */
    public boolean add(MemorySegment segment, long offset, long length) {
        return add(null, segment, offset, length);
    }

    /** The same of a part of registered memory, which {@link #enter()} enters for it. */
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
     * Drops bytes from the front, as a system call that took fewer than all leaves it.
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

    /** Drops the parts from one on; their segments may be collected. */
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

    /** Whether all of it is the provider's own memory. */
    public boolean isOwn() {
        for (int i = 0; i < size; i++) {
            if (owners[i] != null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies all bytes, of memory that is not entered.
     *
     * @param target gets them, from its start on
     * @return {@code false} if some memory cannot be used any more
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
     * Copies bytes from the first on, as many as both have. Registered memory of both is entered.
     *
     * @param target gets them, from its first part on
     * @return how many: fewer than both have if some memory cannot be used, or that of the target not be written
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
                settle(owners[from]);
                settle(target.owners[to]);
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
            // An arena is closed, or confined to another thread; or a mapped file was cut short, which the JVM reports as an InternalError.
            return copied;
        }
        return copied;
    }

    private static void settle(RegisteredMemory owner) {
        if (owner != null) {
            owner.settle();
        }
    }

    /**
     * Enters all registered memory in it, for one call of the system.
     *
     * @return {@code false} where some is retired: then none is entered
     */
    public boolean enter() {
        RegisteredMemory last = null;
        for (int i = 0; i < size; i++) {
            RegisteredMemory owner = owners[i];
            // Headers lie between parts of the same memory: one entry serves the run.
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

    /** Exits all that {@link #enter()} entered; before the vector is changed. */
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
     * How long the parts are together.
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
     * Where a part starts in its segment.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes
     */
    public long offset(int index) {
        return offsets[index];
    }

    /**
     * How long a part is.
     *
     * @param index 0 to {@link #size()} - 1
     * @return bytes, 1 or more
     */
    public long length(int index) {
        return lengths[index];
    }
}

package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The position in the parts of memory that a message is sent from or placed into. The cursor wraps parts of a list that belongs to another
 * object; it stores a part itself only if that part is in no list. It is made once and used many times; one thread at a time uses it.
 *
 * <p>The cursor enters registered memory for each access; the provider's own memory needs no entry.
 */
public final class SgeCursor {
    /** Holds a part that is in no other list. */
    private final SgeList single = new SgeList(1);
    private SgeList list = single;
    /** The part that contains the next byte, and the offset of that byte in the part. */
    private int part;
    private long within;
    /** The index after the last part. */
    private int end;
    private long position;
    private long capacity;
    private boolean mapped;
    private boolean exposed;
    /** The memory of the one part if it is the provider's own, else {@code null}. */
    private MemorySegment own;

    /** Wraps nothing; the memory may be collected. */
    public void clear() {
        if (end != 0 || single.owners[0] != null) {
            single.owners[0] = null;
            begin(single, 0, 0, 0, null);
        }
    }

    /** Wraps a part of registered memory. */
    public void wrap(RegisteredMemory owner, long offset, long length) {
        single.set(0, owner, offset, length);
        begin(single, 0, 1, length, null);
        mapped = owner.isMapped();
        exposed = owner.isExposed();
    }

    /** Wraps a part of the provider's own memory. */
    public void wrap(MemorySegment segment, long offset, long length) {
        single.set(0, null, offset, length);
        begin(single, 0, 1, length, segment);
    }

    /**
     * Wraps parts of a list. None of them may be empty.
     *
     * @param parts must not change until the cursor wraps others
     * @param first index of the first part
     * @param count number of parts
     */
    public void wrap(SgeList parts, int first, int count) {
        long length = 0;
        boolean anyMapped = false;
        boolean anyExposed = false;
        for (int i = first; i < first + count; i++) {
            length += parts.lengths[i];
            anyMapped |= parts.owners[i].isMapped();
            anyExposed |= parts.owners[i].isExposed();
        }
        begin(parts, first, first + count, length, null);
        mapped = anyMapped;
        exposed = anyExposed;
    }

    private void begin(SgeList parts, int first, int last, long length, MemorySegment ownSegment) {
        list = parts;
        part = first;
        end = last;
        within = 0;
        position = 0;
        capacity = length;
        mapped = false;
        exposed = false;
        own = ownSegment;
    }

    /** How many bytes the cursor has passed. */
    public long position() {
        return position;
    }

    /** How many bytes are left. */
    public long remaining() {
        return capacity - position;
    }

    /** Whether the bytes are in registered memory, not in the provider's own. */
    public boolean isRegistered() {
        return capacity > 0 && own == null;
    }

    /** Whether some of the bytes are in a mapped file, which another process may truncate at any time. */
    public boolean isMapped() {
        return mapped;
    }

    /** Whether a peer may change some of the bytes at any time. */
    public boolean isExposed() {
        return exposed;
    }

    /**
     * Describes the next bytes, which must be in registered memory, without passing them.
     *
     * @param vector  receives the parts
     * @param length  the most bytes to describe
     * @return how many bytes were described: fewer if the vector has no room for more parts
     */
    public long describe(IoVector vector, long length) {
        long left = length;
        long skip = within;
        for (int i = part; i < end && left > 0; i++) {
            long chunk = Math.min(left, list.lengths[i] - skip);
            if (!vector.add(list.owners[i], list.offsets[i] + skip, chunk)) {
                break;
            }
            left -= chunk;
            skip = 0;
        }
        return length - left;
    }

    /** Passes bytes. */
    public void advance(long length) {
        position += length;
        within += length;
        while (part < end && within >= list.lengths[part]) {
            within -= list.lengths[part];
            part++;
        }
    }

    /**
     * Copies bytes into the parts, and passes them.
     *
     * @return {@code false} if memory can no longer be used; then some bytes may have been copied, and none are passed
     */
    public boolean put(MemorySegment source, long from, long length) {
        return touch(source, from, true, null, length) && passed(length);
    }

    /**
     * Copies bytes out of the parts, and passes them.
     *
     * @return {@code false} if memory can no longer be used; then none are passed
     */
    public boolean get(MemorySegment target, long to, long length) {
        return touch(target, to, false, null, length) && passed(length);
    }

    private boolean passed(long length) {
        advance(length);
        return true;
    }

    /**
     * Adds the next bytes, which must be in registered memory, to a checksum, without passing them. Must not be called for a mapped file
     * that another process may truncate: see {@link #isMapped}.
     *
     * @return {@code false} if memory can no longer be used
     */
    public boolean update(CRC32C crc, long length) {
        return touch(null, 0, false, crc, length);
    }

    /** Adds the next bytes to the checksum if there is one; else copies them in or out. */
    private boolean touch(MemorySegment other, long at, boolean in, CRC32C crc, long length) {
        try {
            long done = 0;
            long skip = within;
            for (int i = part; done < length; i++) {
                long chunk = Math.min(length - done, list.lengths[i] - skip);
                RegisteredMemory owner = list.owners[i];
                if (owner != null && !owner.enter()) {
                    return false;
                }
                try {
                    long offset = list.offsets[i] + skip;
                    if (crc != null) {
                        owner.update(crc, offset, chunk);
                    } else if (in) {
                        MemorySegment.copy(other, at + done, owner == null ? own : owner.segment(), offset, chunk);
                    } else {
                        MemorySegment.copy(owner == null ? own : owner.segment(), offset, other, at + done, chunk);
                    }
                    if (owner != null) {
                        owner.endCopy();
                    }
                } finally {
                    if (owner != null) {
                        owner.exit();
                    }
                }
                done += chunk;
                skip = 0;
            }
            return true;
        } catch (IllegalStateException | InternalError e) {
            // The arena is closed; or a mapped file was truncated, which the JVM reports as an InternalError.
            return false;
        }
    }
}

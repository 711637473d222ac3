package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The parts of memory that one message is sent from or placed into, and how far it has come. Made once, filled again and again; it
 * belongs to one thread at a time.
 *
 * <p>Parts of registered memory are entered for each touch; parts without an owner are the provider's own memory.
 */
public final class SgeCursor {
    private final RegisteredMemory[] owners;
    private final MemorySegment[] segments;
    private final long[] offsets;
    private final long[] lengths;
    private int size;
    private long capacity;
    /** The part that the next byte is in, and where in that part it is. */
    private int part;
    private long within;
    private long position;

    /**
     * Makes an empty one.
     *
     * @param maximum the most parts
     */
    public SgeCursor(int maximum) {
        owners = new RegisteredMemory[maximum];
        segments = new MemorySegment[maximum];
        offsets = new long[maximum];
        lengths = new long[maximum];
    }

    /** Empties it; the memory may be collected. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            owners[i] = null;
            segments[i] = null;
        }
        size = 0;
        capacity = 0;
        part = 0;
        within = 0;
        position = 0;
    }

    /** Appends a part of registered memory. */
    public void add(RegisteredMemory owner, long offset, long length) {
        add(owner, owner.segment(), offset, length);
    }

    /** Appends a part of the provider's own memory. */
    public void add(MemorySegment segment, long offset, long length) {
        add(null, segment, offset, length);
    }

    private void add(RegisteredMemory owner, MemorySegment segment, long offset, long length) {
        if (length == 0) {
            return;
        }
        owners[size] = owner;
        segments[size] = segment;
        offsets[size] = offset;
        lengths[size] = length;
        size++;
        capacity += length;
    }

    /** How long all parts are together. */
    public long capacity() {
        return capacity;
    }

    /** How many bytes have been passed. */
    public long position() {
        return position;
    }

    /** How many bytes are left. */
    public long remaining() {
        return capacity - position;
    }

    /** Whether the bytes are in registered memory, and not the provider's own. */
    public boolean isRegistered() {
        return size > 0 && owners[0] != null;
    }

    /** Whether all parts of registered memory may still be used. */
    public boolean isLive() {
        for (int i = 0; i < size; i++) {
            if (owners[i] != null && !owners[i].isLive()) {
                return false;
            }
        }
        return true;
    }

    /** Whether the next {@code length} bytes touch a mapped file, which another process may cut short at any time. */
    public boolean isMapped(long length) {
        long left = length;
        long skip = within;
        for (int i = part; i < size && left > 0; i++) {
            if (segments[i].isMapped()) {
                return true;
            }
            left -= lengths[i] - skip;
            skip = 0;
        }
        return false;
    }

    /**
     * Describes the next bytes, without passing them.
     *
     * @param vector  gets the parts
     * @param length  how many bytes at most
     * @return how many were described: fewer where the vector has no room for more parts
     */
    public long describe(IoVector vector, long length) {
        long left = length;
        long skip = within;
        for (int i = part; i < size && left > 0; i++) {
            long chunk = Math.min(left, lengths[i] - skip);
            if (!vector.add(owners[i], segments[i], offsets[i] + skip, chunk)) {
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
        while (part < size && within >= lengths[part]) {
            within -= lengths[part];
            part++;
        }
    }

    /**
     * Copies bytes into the parts, and passes them.
     *
     * @return {@code false} where memory cannot be used any more; then some bytes may have been copied, and none are passed
     */
    public boolean put(MemorySegment source, long from, long length) {
        return tryCopy(source, from, length, true) && passed(length);
    }

    /**
     * Copies bytes out of the parts, and passes them.
     *
     * @return {@code false} where memory cannot be used any more; then none are passed
     */
    public boolean get(MemorySegment target, long to, long length) {
        return tryCopy(target, to, length, false) && passed(length);
    }

    private boolean passed(long length) {
        advance(length);
        return true;
    }

    private boolean tryCopy(MemorySegment other, long at, long length, boolean in) {
        try {
            return copy(other, at, length, in);
        } catch (InternalError e) {
            // A mapped file was cut short: the JVM may report it a little later than the copy that hit it.
            return false;
        }
    }

    private boolean copy(MemorySegment other, long at, long length, boolean in) {
        long done = 0;
        long skip = within;
        for (int i = part; done < length; i++) {
            long chunk = Math.min(length - done, lengths[i] - skip);
            RegisteredMemory owner = owners[i];
            if (owner != null && !owner.enter()) {
                return false;
            }
            try {
                if (in) {
                    MemorySegment.copy(other, at + done, segments[i], offsets[i] + skip, chunk);
                } else {
                    MemorySegment.copy(segments[i], offsets[i] + skip, other, at + done, chunk);
                }
            } catch (IllegalStateException | InternalError e) {
                // The arena is closed; or a mapped file was cut short, which the JVM reports as an InternalError.
                return false;
            } finally {
                if (owner != null) {
                    owner.exit();
                }
            }
            done += chunk;
            skip = 0;
        }
        return true;
    }

    /**
     * Adds the next bytes of registered memory to a checksum, without passing them. Memory of a mapped file must not be summed this way
     * where another process may cut the file short: {@link #isMapped}.
     *
     * @return {@code false} where memory cannot be used any more
     */
    public boolean update(CRC32C crc, long length) {
        long left = length;
        long skip = within;
        for (int i = part; left > 0; i++) {
            long chunk = Math.min(left, lengths[i] - skip);
            RegisteredMemory owner = owners[i];
            if (!owner.enter()) {
                return false;
            }
            try {
                owner.update(crc, offsets[i] + skip, chunk);
            } catch (IllegalStateException e) {
                return false;
            } finally {
                owner.exit();
            }
            left -= chunk;
            skip = 0;
        }
        return true;
    }
}

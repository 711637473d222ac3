package org.panamaverbs.nfs.server.state;

import org.panamaverbs.nfs.xdr.Status;

/**
 * Bytes of a file, of which the last may be that of number 2^64 - 1 (RFC 8881, 18.10.3). All numbers are unsigned.
 *
 * @param first the first byte
 * @param last  the last byte, not before the first
 */
public record ByteRange(long first, long last) {
    private static final long MOST = -1;

    /** The range of a client: a length of 2^64 - 1 leads to the end of the file, however long that is. */
    public static ByteRange of(long offset, long length) throws Refused {
        if (length == 0 || length != MOST && Long.compareUnsigned(length, MOST - offset) > 0) {
            throw new Refused(Status.INVAL);
        }
        // The last byte that a sum of 2^64 - 1 leaves is 2^64 - 2: only the length that means the end has the very last one.
        return new ByteRange(offset, length == MOST ? MOST : offset + length - 1);
    }

    /** The length for a client. */
    public long length() {
        return last == MOST ? MOST : last - first + 1;
    }

    boolean overlaps(ByteRange other) {
        return isUpTo(first, other.last) && isUpTo(other.first, last);
    }

    /** Whether no byte lies between this and another. */
    boolean meets(ByteRange other) {
        return overlaps(other) || last + 1 == other.first && last != MOST || other.last + 1 == first && other.last != MOST;
    }

    /** This and another that it meets. */
    ByteRange and(ByteRange other) {
        return new ByteRange(isUpTo(first, other.first) ? first : other.first, isUpTo(last, other.last) ? other.last : last);
    }

    boolean beginsBefore(ByteRange other) {
        return !isUpTo(other.first, first);
    }

    boolean endsBehind(ByteRange other) {
        return !isUpTo(last, other.last);
    }

    /** The part in front of a range that this begins before. */
    ByteRange before(ByteRange other) {
        return new ByteRange(first, other.first - 1);
    }

    /** The part behind a range that this ends behind. */
    ByteRange behind(ByteRange other) {
        return new ByteRange(other.last + 1, last);
    }

    private static boolean isUpTo(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0;
    }
}

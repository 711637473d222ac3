package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.time.Instant;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * A moment, or a length of time (nfstime4; RFC 8881, 3.3.1).
 *
 * @param seconds     since 1970, negative before it
 * @param nanoseconds 0 to 999,999,999, always forward
 */
public record NfsTime(long seconds, int nanoseconds) {
    private static final int SECOND = 1_000_000_000;

    /** Checks. */
    public NfsTime {
        if (nanoseconds < 0 || nanoseconds >= SECOND) {
            throw new IllegalArgumentException("a time has 0 to 999,999,999 ns, not " + nanoseconds);
        }
    }

    public static NfsTime of(Instant instant) {
        return new NfsTime(instant.getEpochSecond(), instant.getNano());
    }

    /** The moment; a year that Java does not have becomes the first or last that it has. */
    public Instant toInstant() {
        long second = Math.clamp(seconds, Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond());
        return Instant.ofEpochSecond(second, nanoseconds);
    }

    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeLong(seconds);
        xdr.xdrEncodeInt(nanoseconds);
    }

    public static NfsTime decode(XdrDecodingStream xdr) throws IOException {
        long seconds = xdr.xdrDecodeLong();
        int nanoseconds = xdr.xdrDecodeInt();
        if (nanoseconds < 0 || nanoseconds >= SECOND) {
            throw new BadXdrException("a time has " + Integer.toUnsignedString(nanoseconds) + " ns");
        }
        return new NfsTime(seconds, nanoseconds);
    }
}

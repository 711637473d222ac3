package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * An open file, or another state of a client (stateid4; RFC 8881, 3.3.12 and 8.2): a sequence number and 12 bytes.
 *
 * @param sequence counts changes of the state; 0 means the newest
 * @param high     the first 8 of the 12 bytes
 * @param low      the last 4
 */
public record StateId(int sequence, long high, int low) {
    /** No state (RFC 8881, 8.2.3): a READ or WRITE without OPEN. */
    public static final StateId ANONYMOUS = new StateId(0, 0, 0);
    /** A READ that passes by locks (RFC 8881, 8.2.3). */
    public static final StateId READ_BYPASS = new StateId(-1, -1, -1);
    /** The state that an operation before this one in the compound returned (RFC 8881, 8.2.3). */
    public static final StateId CURRENT = new StateId(1, 0, 0);
    /** No valid state. */
    public static final StateId INVALID = new StateId(-1, 0, 0);

    /** The same state, with another sequence number. */
    public StateId withSequence(int number) {
        return new StateId(number, high, low);
    }

    /** Whether it is the same state, however often it changed. */
    public boolean isSameState(StateId other) {
        return high == other.high && low == other.low;
    }

    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(sequence);
        xdr.xdrEncodeLong(high);
        xdr.xdrEncodeInt(low);
    }

    public static StateId decode(XdrDecodingStream xdr) throws IOException {
        return new StateId(xdr.xdrDecodeInt(), xdr.xdrDecodeLong(), xdr.xdrDecodeInt());
    }
}

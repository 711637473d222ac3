package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.Optional;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * The new value of a time of a file (settime4; RFC 8881, 3.3.2).
 *
 * @param time the time; empty for the server's own
 */
public record SetTime(Optional<NfsTime> time) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(time.isPresent() ? Nfs4.SET_TO_CLIENT_TIME4 : Nfs4.SET_TO_SERVER_TIME4);
        time.ifPresent(value -> value.encode(xdr));
    }

    public static SetTime decode(XdrDecodingStream xdr) throws IOException {
        int how = xdr.xdrDecodeInt();
        return switch (how) {
            case Nfs4.SET_TO_SERVER_TIME4 -> new SetTime(Optional.empty());
            case Nfs4.SET_TO_CLIENT_TIME4 -> new SetTime(Optional.of(NfsTime.decode(xdr)));
            default -> throw new BadXdrException("settime4 has no arm " + Integer.toUnsignedString(how));
        };
    }
}

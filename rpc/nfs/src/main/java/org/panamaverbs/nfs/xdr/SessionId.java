package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** The name of a session: 16 bytes (sessionid4; RFC 8881, 3.2), here as two numbers. */
public record SessionId(long high, long low) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeLong(high);
        xdr.xdrEncodeLong(low);
    }

    public static SessionId decode(XdrDecodingStream xdr) throws IOException {
        return new SessionId(xdr.xdrDecodeLong(), xdr.xdrDecodeLong());
    }
}

package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * How an operation changed a directory (change_info4; RFC 8881, 3.3.3).
 *
 * @param atomic whether nothing else changed the directory in between
 * @param before the attribute change of the directory before the operation
 * @param after  the same after it
 */
public record ChangeInfo(boolean atomic, long before, long after) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeBoolean(atomic);
        xdr.xdrEncodeLong(before);
        xdr.xdrEncodeLong(after);
    }

    public static ChangeInfo decode(XdrDecodingStream xdr) throws IOException {
        return new ChangeInfo(Bounded.bool(xdr, "cinfo.atomic"), xdr.xdrDecodeLong(), xdr.xdrDecodeLong());
    }
}

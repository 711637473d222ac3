package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** The number of a device (specdata4; RFC 8881, 3.3.4). */
public record DeviceNumber(int major, int minor) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(major);
        xdr.xdrEncodeInt(minor);
    }

    public static DeviceNumber decode(XdrDecodingStream xdr) throws IOException {
        return new DeviceNumber(xdr.xdrDecodeInt(), xdr.xdrDecodeInt());
    }
}

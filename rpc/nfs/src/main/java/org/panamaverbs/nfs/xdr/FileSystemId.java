package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** A file system of a server (fsid4; RFC 8881, 3.3.5). */
public record FileSystemId(long major, long minor) {
    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeLong(major);
        xdr.xdrEncodeLong(minor);
    }

    public static FileSystemId decode(XdrDecodingStream xdr) throws IOException {
        return new FileSystemId(xdr.xdrDecodeLong(), xdr.xdrDecodeLong());
    }
}

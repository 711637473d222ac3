package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** The server's name for a file (nfs_fh4; RFC 8881, 4): up to 128 bytes that mean nothing to a client. */
public final class FileHandle {
    private final byte[] bytes;

    private FileHandle(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Makes one of 0 to 128 bytes. */
    public static FileHandle of(byte... bytes) {
        if (bytes.length > Nfs4.HANDLE_SIZE) {
            throw new IllegalArgumentException("a file handle has 0 to 128 bytes, not " + bytes.length);
        }
        return new FileHandle(bytes.clone());
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    public void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeDynamicOpaque(bytes);
    }

    public static FileHandle decode(XdrDecodingStream xdr) throws IOException {
        return new FileHandle(Bounded.opaque(xdr, Nfs4.HANDLE_SIZE, "a file handle"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle && Arrays.equals(bytes, handle.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "file handle " + HexFormat.of().formatHex(bytes);
    }
}

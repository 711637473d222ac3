package org.panamaverbs.nfs.server.export;

import java.nio.ByteBuffer;

/**
 * The name of a file towards clients. It depends on the file alone, so it stays the same over restarts and renames (RFC 8881, 4.2.2). Anybody
 * can make one up: it leads only to a file that a walk from the exported directory meets.
 *
 * @param inode      the file's number
 * @param generation {@link FileStatus#generation}
 */
public record Handle(long inode, long generation) {
    /** In bytes. */
    public static final int LENGTH = 2 * Long.BYTES;
    /** "pverbs nfs root": clients find the root again, whatever directory has its place. */
    static final Handle ROOT = new Handle(0x7076_6572_6273_206eL, 0x6673_2072_6f6f_7400L);

    /** The handle in bytes of a client; {@code null} if they are none. */
    public static Handle of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Handle(buffer.getLong(), buffer.getLong());
    }

    /** The bytes for a client. */
    public byte[] bytes() {
        return ByteBuffer.allocate(LENGTH).putLong(inode).putLong(generation).array();
    }
}

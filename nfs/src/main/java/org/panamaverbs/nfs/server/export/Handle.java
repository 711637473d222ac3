package org.panamaverbs.nfs.server.export;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The name of a node towards clients: 128 random bits, so that none can be guessed. It leads to a node through the table of nodes only; what
 * a client makes up leads nowhere. The root's is the same in every run, so that clients find it again after a restart.
 *
 * @param high the first 64 bits
 * @param low  the last 64 bits
 */
public record Handle(long high, long low) {
    /** In bytes. */
    public static final int LENGTH = 2 * Long.BYTES;
    /** "pverbs nfs root". */
    static final Handle ROOT = new Handle(0x7076_6572_6273_206eL, 0x6673_2072_6f6f_7400L);

    private static final SecureRandom RANDOM = new SecureRandom();

    static Handle random() {
        return new Handle(RANDOM.nextLong(), RANDOM.nextLong());
    }

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
        return ByteBuffer.allocate(LENGTH).putLong(high).putLong(low).array();
    }
}

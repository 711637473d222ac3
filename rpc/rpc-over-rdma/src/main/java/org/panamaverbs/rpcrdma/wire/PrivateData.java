package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The private data of a connection (RFC 8797, 4).
 *
 * <pre>
 *  0 format identifier 32 | 4 version 8 | 5 reserved 7, R 1 | 6 send size 8 | 7 receive size 8
 * </pre>
 *
 * @param remoteInvalidation whether the sender supports remote invalidation
 * @param sendSize           the longest Send that the sender makes, in bytes, a multiple of 1,024
 * @param receiveSize        the longest Send that the sender takes, in bytes, a multiple of 1,024
 */
public record PrivateData(boolean remoteInvalidation, int sendSize, int receiveSize) {
    public static final int LENGTH = 8;
    public static final int SMALLEST = 1024;
    public static final int LARGEST = 256 * 1024;
    private static final int IDENTIFIER = 0xf6ab0e18;
    private static final byte FORMAT_VERSION = 1;

    public PrivateData {
        check(sendSize);
        check(receiveSize);
    }

    private static void check(int size) {
        if (size < SMALLEST || size > LARGEST || size % SMALLEST != 0) {
            throw new IllegalArgumentException("a size is a multiple of 1,024 from 1,024 to 262,144, not " + size);
        }
    }

    public byte[] encode() {
        byte[] bytes = new byte[LENGTH];
        MemorySegment into = MemorySegment.ofArray(bytes);
        into.set(Wire.INT, 0, IDENTIFIER);
        bytes[4] = FORMAT_VERSION;
        bytes[5] = (byte) (remoteInvalidation ? 1 : 0);
        bytes[6] = (byte) (sendSize / SMALLEST - 1);
        bytes[7] = (byte) (receiveSize / SMALLEST - 1);
        return bytes;
    }

    /**
     * Decodes the private data of the peer.
     *
     * @return empty if it is something else, or has another version. Layers below may append bytes, and some put theirs in front; so the
     *         identifier is sought at every byte (RFC 8797, 5.2).
     */
    public static Optional<PrivateData> decode(byte[] bytes) {
        MemorySegment from = MemorySegment.ofArray(bytes);
        for (int at = 0; at <= bytes.length - LENGTH; at++) {
            if (from.get(Wire.INT, at) == IDENTIFIER && bytes[at + 4] == FORMAT_VERSION) {
                return Optional.of(new PrivateData((bytes[at + 5] & 1) != 0, size(bytes[at + 6]), size(bytes[at + 7])));
            }
        }
        return Optional.empty();
    }

    private static int size(byte encoded) {
        return (Byte.toUnsignedInt(encoded) + 1) * SMALLEST;
    }
}

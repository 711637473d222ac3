package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;

/** Decodes items that have a length. oncrpc4j makes an array of any length that a peer names; here the limit of each item is checked before. */
public final class Bounded {
    private Bounded() {
    }

    /**
     * Decodes a counted opaque (RFC 4506, 4.10).
     *
     * @param most the most bytes that it may have
     * @param what the item, for the error
     */
    public static byte[] opaque(XdrDecodingStream xdr, int most, String what) throws IOException {
        return xdr.xdrDecodeOpaque(count(xdr, most, what));
    }

    /** Decodes an opaque of a fixed length (RFC 4506, 4.9). */
    public static byte[] fixed(XdrDecodingStream xdr, int length) throws IOException {
        return xdr.xdrDecodeOpaque(length);
    }

    /** Decodes a string that is UTF-8; other bytes are an error, since two names must not become one. */
    public static String string(XdrDecodingStream xdr, int most, String what) throws IOException {
        byte[] bytes = opaque(xdr, most, what);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new BadXdrException(what + " is not UTF-8");
        }
    }

    /** Decodes the count in front of a list, or of bytes. */
    public static int count(XdrDecodingStream xdr, int most, String what) throws IOException {
        int count = xdr.xdrDecodeInt();
        if (count < 0 || count > most) {
            throw new BadXdrException(what + " has a length of " + Integer.toUnsignedString(count) + ", more than " + most);
        }
        return count;
    }

    /** Decodes a truth value: 0 or 1, nothing else (RFC 4506, 4.4). */
    public static boolean bool(XdrDecodingStream xdr, String what) throws IOException {
        int value = xdr.xdrDecodeInt();
        if (value != 0 && value != 1) {
            throw new BadXdrException(what + " is neither 0 nor 1 but " + Integer.toUnsignedString(value));
        }
        return value == 1;
    }
}

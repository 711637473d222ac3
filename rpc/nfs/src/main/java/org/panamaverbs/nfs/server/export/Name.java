package org.panamaverbs.nfs.server.export;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A name in a directory that was checked: 1 to 255 bytes without {@code /} and NUL, and neither {@code .} nor {@code ..}. So a name never
 * leads out of its directory. Other bytes are the file system's business, as in Linux: they need not be UTF-8.
 */
public final class Name implements Comparable<Name> {
    /** The longest, in bytes. */
    public static final int MOST = 255;

    private final byte[] bytes;

    private Name(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Why a text is no name. */
    public enum Fault {
        EMPTY, TOO_LONG, BAD_CHARACTER, BAD_NAME
    }

    /** The fault of a text, or {@code null} if it is a name. */
    public static Fault faultOf(byte[] text) {
        if (text.length == 0) {
            return Fault.EMPTY;
        }
        if (text.length > MOST) {
            return Fault.TOO_LONG;
        }
        for (byte one : text) {
            if (one == '/' || one == 0) {
                return Fault.BAD_CHARACTER;
            }
        }
        if (text[0] == '.' && (text.length == 1 || text.length == 2 && text[1] == '.')) {
            return Fault.BAD_NAME;
        }
        return null;
    }

    /**
     * Makes one.
     *
     * @throws IllegalArgumentException if the text is no name
     */
    public static Name of(byte[] text) {
        Fault fault = faultOf(text);
        if (fault != null) {
            throw new IllegalArgumentException("no name of a file: " + fault);
        }
        return new Name(text.clone());
    }

    /** The same of text. */
    public static Name of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes, which must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int compareTo(Name other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

package org.panamaverbs.nfs.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.nfs.xdr.Nfs4;

/**
 * A name in a directory of a server: bytes, since file systems allow more than UTF-8. It is not empty, has no slash and no NUL, and is neither
 * {@code .} nor {@code ..}.
 */
public final class FileName implements Comparable<FileName> {
    private static final char REPLACEMENT = '\ufffd';

    private final byte[] bytes;

    private FileName(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Makes one.
     *
     * @param bytes as the server has them
     * @return the name
     * @throws IllegalArgumentException if they are no name
     */
    public static FileName of(byte[] bytes) {
        if (!isName(bytes)) {
            throw new IllegalArgumentException("\"" + new String(bytes, StandardCharsets.UTF_8)
                    + "\" is not the name of a file at a server: a name is not empty, not . or .., has no / and at most " + Nfs4.NAME_LIMIT
                    + " bytes");
        }
        return new FileName(bytes.clone());
    }

    /**
     * The same of text, as UTF-8.
     *
     * @param text the name
     * @return the name
     * @throws IllegalArgumentException if it is no name; also if it has U+FFFD, by which Java replaces bytes that it cannot decode, since that
     *                                  would be another name
     */
    public static FileName of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0 || !new String(bytes, StandardCharsets.UTF_8).equals(text)) {
            throw new IllegalArgumentException("\"" + text + "\" has bytes that are not of the character set; give them as bytes");
        }
        return of(bytes);
    }

    /** The names of a path. Slashes at the start and the end, and double ones, count for nothing. */
    static List<FileName> path(String path) {
        List<FileName> names = new ArrayList<>();
        for (String name : path.split("/")) {
            if (!name.isEmpty()) {
                names.add(of(name));
            }
        }
        return names;
    }

    static boolean isName(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > Nfs4.NAME_LIMIT) {
            return false;
        }
        for (byte one : bytes) {
            if (one == '/' || one == 0) {
                return false;
            }
        }
        return bytes[0] != '.' || bytes.length > 1 && (bytes[1] != '.' || bytes.length > 2);
    }

    /**
     * The bytes.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public int compareTo(FileName other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileName name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** For people: bytes that are not UTF-8 are shown as U+FFFD. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

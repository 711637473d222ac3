package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;

/** Types of files (nfs_ftype4; RFC 8881, 3.2). The numbers on the wire begin with 1, in this order. */
public enum FileType {
    /** NF4REG. */
    REGULAR('-', "a regular file"),
    /** NF4DIR. */
    DIRECTORY('d', "a directory"),
    /** NF4BLK. */
    BLOCK_DEVICE('b', "a block device"),
    /** NF4CHR. */
    CHARACTER_DEVICE('c', "a character device"),
    /** NF4LNK. */
    SYMBOLIC_LINK('l', "a symbolic link"),
    /** NF4SOCK. */
    SOCKET('s', "a socket"),
    /** NF4FIFO. */
    FIFO('p', "a FIFO"),
    /** NF4ATTRDIR. */
    ATTRIBUTE_DIRECTORY('?', "a directory of named attributes"),
    /** NF4NAMEDATTR. */
    NAMED_ATTRIBUTE('?', "a named attribute");

    private final char letter;
    private final String text;

    FileType(char letter, String text) {
        this.letter = letter;
        this.text = text;
    }

    /** The number on the wire. */
    public int number() {
        return ordinal() + 1;
    }

    /** The letter that {@code ls -l} has for it. */
    public char letter() {
        return letter;
    }

    /** The type in words, with an article. */
    public String text() {
        return text;
    }

    /** Decodes one. */
    public static FileType decode(XdrDecodingStream xdr) throws IOException {
        int number = xdr.xdrDecodeInt();
        if (number < 1 || number > values().length) {
            throw new BadXdrException("type of file " + Integer.toUnsignedString(number) + " does not exist");
        }
        return values()[number - 1];
    }
}

package org.panamaverbs.nfs.server;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.Operation;

/**
 * The arguments of COMPOUND that may come in Read chunks (RFC 8267, 6.1): the data of a WRITE, and the text of a symbolic link that CREATE
 * makes. The words in front of an item say which it is:
 *
 * <pre>
 * WRITE   operation, stateid (16 bytes), offset (8), stable_how4 (4), length (4), data
 * CREATE  operation, type, length, text
 * </pre>
 *
 * <p>A caller can make these words up, for example within a name. It gains nothing: the server takes the item as if it had come inline.
 */
final class Eligibility {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long BEFORE_DATA = 36;
    private static final long BEFORE_TEXT = 12;

    private Eligibility() {
    }

    /** Whether the item at a position of a call is one of these. */
    static boolean isData(MemorySegment call, long position) {
        return position >= BEFORE_DATA && position <= call.byteSize()
                && (word(call, position - BEFORE_DATA) == Operation.WRITE.number()
                        || word(call, position - BEFORE_TEXT) == Operation.CREATE.number()
                                && word(call, position - BEFORE_TEXT + Integer.BYTES) == FileType.SYMBOLIC_LINK.number());
    }

    private static int word(MemorySegment call, long at) {
        return call.get(INT, at);
    }
}
